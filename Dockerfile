# `score`, and the web page and the API of living boards. Build: make image
# Run: docker run -p 127.0.0.1:8000:8000 -v ./challenges/course-2026:/challenge challenge-scorer:VERSION
FROM python:3.12-slim
WORKDIR /src
COPY constraints.txt pyproject.toml README.md LICENSE ./
COPY scorer scorer
# the versions that are tested, of what serving needs
RUN grep -E '^[a-z0-9]' constraints.txt | sed 's/ *\\$//' > versions.txt \
 && pip install --no-cache-dir -c versions.txt '.[web,postgres]' \
 && rm -r /src/*
RUN useradd --uid 1000 scorer && mkdir /challenge /files && chown scorer /challenge /files
USER scorer
WORKDIR /challenge
EXPOSE 8000
HEALTHCHECK CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8000/healthz')"]
ENTRYPOINT ["score"]
CMD ["serve", "/challenge", "--host", "0.0.0.0"]

"use strict";

// One's own row is marked.
function mark(live) {
  for (const name of live.querySelectorAll("tbody th[scope=row]")) {
    if (live.dataset.own && (name.title || name.textContent.trim()) === live.dataset.own) {
      name.closest("tr").classList.add("own");
    }
  }
}

// A board that is open follows what happens.
const live = document.getElementById("live");
if (live) {
  mark(live);
  let last = null;
  const source = new EventSource(live.dataset.events);
  source.onmessage = async (event) => {
    if (last !== null && last !== event.data) {
      const answer = await fetch(live.dataset.part);
      if (answer.ok) {
        const made = new DOMParser().parseFromString(await answer.text(), "text/html");
        live.replaceChildren(...made.body.children);
        mark(live);
        // the buttons and the filter of the new table
        const script = document.createElement("script");
        script.src = document.querySelector("script[data-page]").src;
        document.body.append(script);
      }
    }
    last = event.data;
  };
}

// An entry that waits is looked at again.
const status = document.getElementById("status");
if (status && status.dataset.status === "pending") setTimeout(() => location.reload(), 1500);

// A file is checked as soon as it is chosen or dropped, without cost.
const form = document.querySelector("form.submit");
if (form) {
  const file = form.querySelector("input[type=file]");
  const drop = form.querySelector(".drop");
  const told = form.querySelector(".checked");
  const bar = form.querySelector("progress");
  for (const kind of ["dragover", "dragleave", "drop"]) {
    drop.addEventListener(kind, (event) => {
      event.preventDefault();
      drop.classList.toggle("over", kind === "dragover");
      if (kind === "drop" && event.dataTransfer.files.length) {
        file.files = event.dataTransfer.files;
        file.dispatchEvent(new Event("change"));
      }
    });
  }
  file.addEventListener("change", () => {
    if (!file.files.length) return;
    const data = new FormData(form);
    data.set("act", "check");
    const request = new XMLHttpRequest();
    request.open("POST", form.dataset.check);
    request.upload.onprogress = (event) => {
      bar.hidden = false;
      bar.value = event.total ? event.loaded / event.total : 0;
    };
    request.onload = () => {
      bar.hidden = true;
      const made = new DOMParser().parseFromString(request.responseText, "text/html");
      const found = made.querySelector("section[role=status], p[role=alert]");
      told.replaceChildren(...(found ? [found] : []));
    };
    told.textContent = "Checking …";
    request.send(data);
  });
}

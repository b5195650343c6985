"use strict";

// What a board's reader typed and sorted by is in the address: ?q=red&sort=-RR.
const sorted = (part) => part.querySelector("#standings th:is([aria-sort=ascending], [aria-sort=descending])");
function keepAddress(part) {
  const address = new URL(location);
  const head = sorted(part);
  const places = {
    q: part.querySelector(".filter input")?.value,
    sort: head && head.dataset.kind !== "rank"
      && (head.ariaSort === "descending" ? "-" : "") + head.textContent.trim(),
  };
  for (const [key, value] of Object.entries(places)) {
    if (value) address.searchParams.set(key, value);
    else address.searchParams.delete(key);
  }
  history.replaceState(null, "", address);
  for (const pill of part.querySelectorAll(".pills a")) {
    const other = new URL(pill.href);
    other.search = new URLSearchParams([...address.searchParams, ["split", other.searchParams.get("split")]]
      .filter(([key], n, all) => key !== "split" || n === all.length - 1));
    pill.href = other;
  }
}
function restoreFromAddress(part) {
  const asked = new URL(location).searchParams;
  const box = part.querySelector(".filter input");
  if (box && asked.get("q")) {
    box.value = asked.get("q");
    box.dispatchEvent(new Event("input"));
  }
  const [, down, name] = /^(-?)(.*)$/.exec(asked.get("sort") ?? "");
  const head = [...part.querySelectorAll("#standings thead th")]
    .find((each) => name && each.textContent.trim() === name);
  const order = down ? "descending" : "ascending";
  for (let tries = 0; tries < 2 && head && head.ariaSort !== order; tries += 1) {
    head.querySelector("button")?.click();
  }
}
function followReader(part) {
  restoreFromAddress(part);
  part.querySelector(".filter input")?.addEventListener("input", () => keepAddress(part));
  part.querySelectorAll("#standings th button").forEach((button) => {
    button.addEventListener("click", () => keepAddress(part));
  });
  keepAddress(part);
}

// What else a reader did with a board is kept when it is renewed: what is open, where the focus is.
function stateOf(part) {
  const opened = [...part.querySelectorAll("details")].map((each) => each.open);
  const name = (each) => `${each.tagName} ${each.ariaLabel ?? each.textContent}`;
  const focused = part.contains(document.activeElement) && name(document.activeElement);
  return () => {
    part.querySelectorAll("details").forEach((each, n) => { each.open = opened[n] ?? each.open; });
    const keys = [...part.querySelectorAll("a, button, input, summary")];
    keys.find((each) => name(each) === focused)?.focus({ preventScroll: true });
  };
}

// A board that is open is asked for again while it is seen.
const EVERY = 20000; // milliseconds
const live = document.getElementById("live");
if (live) {
  followReader(live);
  let tag = `"${live.dataset.tag}"`;
  const renew = async () => {
    if (document.hidden) return;
    const asked = { headers: { "If-None-Match": tag }, cache: "no-store" };
    const answer = await fetch(live.dataset.part, asked).catch(() => null);
    if (answer?.status !== 200) return; // as before, not shown any more, or no answer
    tag = answer.headers.get("ETag");
    const made = new DOMParser().parseFromString(await answer.text(), "text/html");
    const restore = stateOf(live);
    document.querySelector(".status").replaceWith(made.querySelector(".status"));
    live.replaceChildren(...made.body.children);
    wire(live);
    tellTimes(document);
    followReader(live);
    restore();
    document.getElementById("news").textContent =
      `The board was renewed at ${new Date().toLocaleTimeString()}.`;
  };
  setInterval(renew, EVERY);
  document.addEventListener("visibilitychange", renew);
}

// Times are told in the visitor's zone; the challenge's is in the tooltip. Those that are waited
// for say how long it is until then.
function ahead(seconds) {
  const parts = [[86400, "day"], [3600, "h"], [60, "min"], [1, "s"]];
  const first = Math.max(parts.findIndex(([size]) => seconds >= size), 0);
  let rest = seconds;
  return parts.slice(first, first + (first || seconds < 3 * 86400 ? 2 : 1)).map(([size, unit]) => {
    const many = Math.floor(rest / size);
    rest -= many * size;
    return `${many} ${unit}${unit === "day" && many !== 1 ? "s" : ""}`;
  }).join(" ");
}
const zone = document.getElementById("zone");
function tellTimes(part) {
  for (const each of part.querySelectorAll("time:not([title])")) {
    const at = new Date(each.dateTime);
    const year = at.getFullYear() === new Date().getFullYear() ? undefined : "numeric";
    const own = at.toLocaleString("en-GB", {
      day: "numeric", month: "short", year, hour: "2-digit", minute: "2-digit",
    });
    each.title = `${each.textContent} in the challenge's zone${zone ? `, ${zone.dataset.zone}` : ""}`;
    each.textContent = own;
    if (each.classList.contains("day")) each.textContent = own.replace(/,? \d\d:\d\d$/, "");
    if (!each.classList.contains("due")) continue;
    const tell = () => {
      const seconds = Math.ceil((at - Date.now()) / 1000);
      each.textContent = seconds > 0 ? `in ${ahead(seconds)}, ${own} your time` : `${own}, over`;
      if (seconds > 0 && each.isConnected) setTimeout(tell, seconds > 7200 ? 60000 : 1000);
    };
    tell();
  }
}
tellTimes(document);
if (zone) zone.textContent = `Times are those of your zone; that of the challenge is ${zone.dataset.zone}.`;

// A token is copied by a button.
for (const button of document.querySelectorAll("button.copy")) {
  button.hidden = !navigator.clipboard;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    button.textContent = "Copied";
  });
}

// An entry that waits is looked at again.
const state = document.getElementById("status");
if (state && state.dataset.status === "pending") setTimeout(() => location.reload(), 1000);

// A file is checked as soon as it is chosen or dropped, without cost; sending shows how far it is.
const form = document.querySelector("form.submit");
if (form) {
  const file = form.querySelector("input[type=file]");
  const drop = form.querySelector(".drop");
  const told = form.querySelector(".checked");
  const bar = form.querySelector("progress");
  const send = form.querySelector("button[value=send]");
  const closed = send.disabled;
  const post = (data, done) => {
    const request = new XMLHttpRequest();
    request.open("POST", form.action);
    request.upload.onprogress = (event) => {
      bar.hidden = false;
      bar.value = event.total ? event.loaded / event.total : 0;
    };
    request.onload = () => {
      bar.hidden = true;
      done(request);
    };
    request.onerror = () => {
      bar.hidden = true;
      send.disabled = closed;
      told.textContent = "The server cannot be reached. Nothing was sent.";
    };
    request.send(data);
  };
  const say = (request) => {
    const made = new DOMParser().parseFromString(request.responseText, "text/html");
    const found = made.querySelector("main section[role=status], main p[role=alert]");
    told.replaceChildren(...(found ? [found] : [made.querySelector("main p") ?? ""]));
    // A file that would be rejected is not sent: it would use up one of the day's rejected files.
    send.disabled = closed || Boolean(found?.matches("[data-fatal]"));
  };
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
    told.textContent = "Checking …";
    send.disabled = closed;
    post(data, say);
  });
  form.addEventListener("submit", (event) => {
    if (event.submitter?.value !== "send") return;
    event.preventDefault();
    const data = new FormData(form, event.submitter);
    send.disabled = true;
    post(data, (request) => {
      send.disabled = closed;
      if (request.status === 200 && request.responseURL.includes("/entries/")) {
        location.assign(request.responseURL);
      } else {
        say(request);
      }
    });
  });
}

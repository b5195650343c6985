"use strict";

// What the server says of its boards, by one connection for all pages of this browser; where there
// are no shared workers, by a page's own while it is seen.
function follow(worker, address, told) {
  if (window.SharedWorker) {
    const script = new URL(worker, location.href).href;
    new BroadcastChannel(script).onmessage = told;
    new SharedWorker(script).port.onmessage = told;
    return;
  }
  let source = null;
  const look = () => {
    source?.close();
    source = document.hidden ? null : new EventSource(address);
    if (source) source.onmessage = told;
  };
  document.addEventListener("visibilitychange", look);
  look();
}

// A board that is open follows what happens.
const live = document.getElementById("live");
if (live) {
  let last = null;
  follow(live.dataset.worker, live.dataset.events, async (event) => {
    const before = last;
    last = JSON.parse(event.data)[live.dataset.challenge];
    if (before === null || before === last) return;
    const answer = await fetch(live.dataset.part);
    if (!answer.ok) return;
    const made = new DOMParser().parseFromString(await answer.text(), "text/html");
    const typed = live.querySelector(".filter input")?.value ?? "";
    const focused = live.querySelector(".filter input") === document.activeElement;
    live.replaceChildren(...made.body.children);
    wire(live);
    const box = live.querySelector(".filter input");
    if (box && typed) {
      box.value = typed;
      box.dispatchEvent(new Event("input"));
    }
    if (box && focused) box.focus();
    document.getElementById("news").textContent =
      `The board was renewed at ${new Date().toLocaleTimeString()}.`;
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
      told.textContent = "The server cannot be reached. Nothing was sent.";
    };
    request.send(data);
  };
  const say = (request) => {
    const made = new DOMParser().parseFromString(request.responseText, "text/html");
    const found = made.querySelector("main section[role=status], main p[role=alert]");
    told.replaceChildren(...(found ? [found] : [made.querySelector("main p") ?? ""]));
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
    post(data, say);
  });
  form.addEventListener("submit", (event) => {
    if (event.submitter?.value !== "send") return;
    event.preventDefault();
    const data = new FormData(form, event.submitter);
    event.submitter.disabled = true;
    post(data, (request) => {
      event.submitter.disabled = false;
      if (request.status === 200 && request.responseURL.includes("/entries/")) {
        location.assign(request.responseURL);
      } else {
        say(request);
      }
    });
  });
}

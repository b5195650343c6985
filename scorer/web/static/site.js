"use strict";

// What a board's reader typed, sorted and opened, and where the focus is: kept when it is renewed.
function stateOf(part) {
  const box = part.querySelector(".filter input");
  const head = part.querySelector("th[aria-sort=ascending], th[aria-sort=descending]");
  const [place, order] = [head?.cellIndex, head?.getAttribute("aria-sort")];
  const opened = [...part.querySelectorAll("details")].map((each) => each.open);
  // from the end, as a filter may come in front
  const keys = () => [...part.querySelectorAll("a, button, input, summary")].reverse();
  const focus = keys().indexOf(document.activeElement);
  return () => {
    const again = part.querySelector(".filter input");
    if (box?.value && again) {
      again.value = box.value;
      again.dispatchEvent(new Event("input"));
    }
    const column = part.querySelector("thead tr")?.cells[place];
    for (let tries = 0; tries < 2 && column && column.getAttribute("aria-sort") !== order; tries += 1) {
      column.querySelector("button")?.click();
    }
    part.querySelectorAll("details").forEach((each, n) => { each.open = opened[n] ?? each.open; });
    if (focus >= 0) keys()[focus]?.focus({ preventScroll: true });
  };
}

// A board that is open is asked for again while it is seen.
const EVERY = 20000; // milliseconds
const live = document.getElementById("live");
if (live) {
  let tag = `"${live.dataset.tag}"`;
  const renew = async () => {
    if (document.hidden) return;
    const asked = { headers: { "If-None-Match": tag }, cache: "no-store" };
    const answer = await fetch(live.dataset.part, asked).catch(() => null);
    if (answer?.status !== 200) return; // as before, not shown any more, or no answer
    tag = answer.headers.get("ETag");
    const made = new DOMParser().parseFromString(await answer.text(), "text/html");
    const restore = stateOf(live);
    live.replaceChildren(...made.body.children);
    wire(live);
    tellTimes(live);
    restore();
    document.getElementById("news").textContent =
      `The board was renewed at ${new Date().toLocaleTimeString()}.`;
  };
  setInterval(renew, EVERY);
  document.addEventListener("visibilitychange", renew);
}

// Times are told in the visitor's zone, too; those that are waited for, with how long.
function ahead(seconds) {
  const parts = [[86400, "day"], [3600, "h"], [60, "min"], [1, "s"]];
  const first = Math.max(parts.findIndex(([size]) => seconds >= size), 0);
  let rest = seconds;
  return parts.slice(first, first + 2).map(([size, unit]) => {
    const many = Math.floor(rest / size);
    rest -= many * size;
    return `${many} ${unit}${unit === "day" && many !== 1 ? "s" : ""}`;
  }).join(" ");
}
function tellTimes(part) {
  for (const each of part.querySelectorAll("time[datetime]")) {
    const at = new Date(each.dateTime);
    const own = at.toLocaleString("sv", { dateStyle: "short", timeStyle: "short" });
    each.title = `${own} in your zone`;
    if (!each.classList.contains("due")) continue;
    const left = document.createElement("span");
    const known = each.textContent.startsWith(own) || each.closest(".facts");
    const elsewhere = known ? "" : `, ${own} in your zone`;
    each.after(left);
    const tell = () => {
      const seconds = Math.ceil((at - Date.now()) / 1000);
      left.textContent = ` (${seconds > 0 ? `${ahead(seconds)} left` : "over"}${elsewhere})`;
      if (seconds > 0 && left.isConnected) setTimeout(tell, seconds > 7200 ? 60000 : 1000);
    };
    tell();
  }
}
tellTimes(document);

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

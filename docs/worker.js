// A page that is opened as a file may start no worker: its script runs in a frame of the page.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      frame.answer = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      frame.srcdoc =
        "<script>postMessage = (data) => frameElement.answer(data)</" +
        `script><script src="${address}"></` + "script>";
      this.inside = new Promise((ready) => {
        frame.addEventListener("load", () => ready(frame.contentWindow));
      });
      document.body.append(frame);
    }
    postMessage(data) {
      this.inside.then((inside) => inside.dispatchEvent(new MessageEvent("message", { data })));
    }
  };
}

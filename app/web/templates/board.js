// Asks for this page again every ten seconds, and puts in what has changed. Without it the page reloads by itself.
(() => {
  const EVERY = 10_000;
  const OLD = 60_000;
  const main = document.querySelector("main");
  let tag = "";
  let heard = Date.now();

  function say() {
    const place = document.getElementById("silent");
    const old = Date.now() - heard;
    if (!place) return;
    place.hidden = old < OLD;
    place.textContent = old < OLD ? "" : `${place.dataset.words} ${Math.floor(old / 60_000)} min`;
  }

  async function look() {
    if (document.hidden) return;
    try {
      const headers = tag ? { "if-none-match": tag } : {};
      const answer = await fetch(location.href, { headers, cache: "no-store", redirect: "error" });
      if (answer.status === 200) {
        tag = answer.headers.get("etag") ?? "";
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        main.replaceChildren(...page.querySelector("main").childNodes);
      }
      if (answer.status === 200 || answer.status === 304) heard = Date.now();
    } catch {
      // Nobody answered; the page says how old it is.
    }
    say();
  }

  setInterval(look, EVERY);
  document.addEventListener("visibilitychange", look);
})();

/**
 * The script of every page. A page that is opened comes without what is the person's, because opening it sends
 * only the session's cookie; this asks again with the session's other half, which the publisher's page keeps in
 * this origin's storage (server/app/ui/session.ts), and puts it into each form and each call of a tool. It is there before
 * the page's body is, so that nothing is sent without. It says times as the reader's clock does. On the page with the tools it also keeps the list of what waits for a person current.
 */
export const PAGE_SCRIPT = `const readProof = () => {
  try {
    const { session, expiresAt } = JSON.parse(localStorage.getItem("nightshift-session"));
    return Date.parse(expiresAt) > Date.now() ? session : undefined;
  } catch {
    return undefined;
  }
};

const send = window.fetch;
window.fetch = (target, init) => {
  const proof = readProof();
  const { origin } = new URL(target instanceof Request ? target.url : target, location.href);
  if (proof === undefined || origin !== location.origin) return send(target, init);
  const headers = new Headers(init?.headers);
  headers.set("x-nightshift-session", proof);
  return send(target, { ...init, headers });
};

addEventListener("submit", ({ target: form }) => {
  if (form.method !== "post") return;
  const proof = Object.assign(document.createElement("input"), { type: "hidden", name: "session" });
  proof.value = readProof() ?? "";
  form.append(proof);
}, true);

const openLocked = async () => {
  const locked = document.querySelector("main[data-locked]");
  if (!locked || readProof() === undefined) return;
  const response = await fetch(location.href, { headers: { accept: "text/html" } });
  const text = await response.text();
  if (!/html/.test(response.headers.get("content-type") ?? "")) {
    locked.querySelector("h1").textContent = JSON.parse(text).error;
    locked.querySelector(".notice").remove();
    return;
  }
  const opened = new DOMParser().parseFromString(text, "text/html");
  document.title = opened.title;
  locked.replaceWith(document.adoptNode(opened.querySelector("main")));
};

const keepCurrent = () => {
  const result = document.querySelector("#webmcp-result");
  const waiting = document.querySelector("#waiting");
  if (!result || !waiting || readProof() === undefined) return;
  const refresh = async () => {
    const response = await fetch("/__companion/approvals?status=pending", { headers: { accept: "application/json" } });
    if (!response.ok) return;
    const { approvals } = await response.json();
    waiting.replaceChildren(...approvals.map(({ id, title, askedBy }) => {
      const item = document.createElement("li");
      const link = document.createElement("a");
      link.href = "/__companion/approvals/" + encodeURIComponent(id);
      link.className = "button";
      link.textContent = "Review: " + title;
      const who = document.createElement("span");
      who.className = "quiet";
      who.textContent = " asked by " + askedBy;
      item.append(link, who);
      return item;
    }));
    document.querySelector("#nothing-waits").hidden = approvals.length > 0;
  };
  new MutationObserver(refresh).observe(result, { childList: true, characterData: true, subtree: true });
  addEventListener("focus", refresh);
};

const sayLocalTimes = () => {
  for (const time of document.querySelectorAll("main time"))
    time.textContent = new Date(time.dateTime).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
};

const offerSignOut = () => {
  const button = document.querySelector("#sign-out");
  if (readProof() === undefined) return;
  button.hidden = false;
  button.addEventListener("click", async () => {
    const response = await fetch("/api/session", { method: "DELETE" });
    // An ended session is what was wanted, too.
    if (!response.ok && response.status !== 401) return;
    localStorage.removeItem("nightshift-session");
    location.assign("/app");
  });
};

// Whoever signed in does not see for a moment that they should.
if (readProof() !== undefined) document.documentElement.dataset.opening = "";
addEventListener("DOMContentLoaded", async () => {
  await openLocked().catch(() => {});
  delete document.documentElement.dataset.opening;
  sayLocalTimes();
  offerSignOut();
  keepCurrent();
});
`;

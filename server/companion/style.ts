/** The companion's stylesheet: system font, one accent colour, light and dark from the system. */
export const STYLE = `:root{color-scheme:light dark;--accent:light-dark(#1d4ed8,#93b4ff);--line:light-dark(#d4d8e0,#3a3f4b);--soft:light-dark(#f5f6f9,#1c1f26);--warn:light-dark(#9a3412,#fdba74);--good:light-dark(#166534,#86efac)}
*{box-sizing:border-box}
body{font:16px/1.5 system-ui,sans-serif;margin:0;overflow-wrap:anywhere;background:light-dark(#fff,#13151a);color:light-dark(#16181d,#e8eaf0)}
header,main{max-width:60rem;margin:0 auto;padding:16px}
header{display:flex;justify-content:space-between;gap:16px;border-bottom:1px solid var(--line)}
header nav{display:flex;gap:16px}
h1{font-size:28px;line-height:1.2;margin:24px 0 8px}
h2{font-size:20px;margin:32px 0 8px}
a{color:var(--accent)}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;vertical-align:top;padding:8px 16px 8px 0;border-bottom:1px solid var(--line)}
th{font-weight:600}
.scroll{overflow-x:auto;overflow-wrap:normal}
code,pre{font:14px/1.5 ui-monospace,monospace}
pre{background:var(--soft);border:1px solid var(--line);border-radius:8px;padding:12px;overflow:auto;white-space:pre-wrap;overflow-wrap:anywhere;margin:8px 0;max-height:28rem}
dl{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:8px 16px;margin:16px 0}
dt{font-weight:600}dd{margin:0;overflow-wrap:anywhere}
form.fields{display:grid;gap:16px;max-width:36rem;margin:16px 0}
label{display:grid;gap:4px;font-weight:600}
label small,.fault{font-weight:400}
.fault{color:var(--warn)}
input,select,textarea{font:inherit;padding:8px;border:1px solid var(--line);border-radius:6px;background:transparent;color:inherit;width:100%}
select option{color:#16181d;background:#fff}
button{font:inherit;font-weight:600;min-height:40px;padding:8px 20px;border-radius:6px;border:1px solid var(--accent);background:transparent;color:var(--accent);cursor:pointer}
button.primary{background:var(--accent);color:light-dark(#fff,#13151a)}
.decide{display:flex;gap:12px;margin:24px 0}
.state{font-weight:600}.state.pending,.state.unknown,.state.failed{color:var(--warn)}.state.done{color:var(--good)}
.notice{border-left:4px solid var(--accent);padding:8px 16px;background:var(--soft)}
`;

/**
 * Keeps the list of what waits for a person current while an agent works on the page. The page is complete
 * without it: a reload shows the same.
 */
export const PAGE_SCRIPT = `const result = document.querySelector("#webmcp-result");
const waiting = document.querySelector("#waiting");
const refresh = async () => {
  const response = await fetch("/__companion/approvals?status=pending", { headers: { accept: "application/json" } });
  if (!response.ok) return;
  const { approvals } = await response.json();
  waiting.replaceChildren(...approvals.map(({ id, tool, method, target }) => {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = "/__companion/approvals/" + encodeURIComponent(id);
    link.textContent = "Look and decide: " + tool;
    const what = document.createElement("code");
    what.textContent = " " + method + " " + target;
    item.append(link, what);
    return item;
  }));
  document.querySelector("#nothing-waits").hidden = approvals.length > 0;
};
if (result && waiting) {
  new MutationObserver(refresh).observe(result, { childList: true, characterData: true, subtree: true });
  addEventListener("focus", refresh);
}
`;

/** What the companion's pages need beside the publisher page's stylesheet. */
export const STYLE = `[hidden]{display:none!important}
html[data-opening] main[data-locked]{visibility:hidden}
.scroll{overflow-x:auto}
pre{margin:0;padding:16px;overflow:auto;max-height:448px;border:1px solid var(--line);border-radius:8px;background:var(--sunken);font:14px/20px var(--mono);white-space:pre-wrap;overflow-wrap:anywhere}
dl{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:8px 24px;margin:0}
dt{color:var(--quiet)}
dd{margin:0;overflow-wrap:anywhere}
ul{padding-left:20px}
#waiting{display:grid;gap:12px;padding:0;list-style:none}
li code{margin-left:8px;color:var(--quiet)}
form.tool{display:grid;gap:16px;max-width:576px}
form.tool label{display:grid;gap:4px}
form.tool small{font-weight:400;color:var(--quiet)}
form.tool span.problem,form.tool input,form.tool select,form.tool textarea{font-weight:400}
textarea{width:100%;padding:8px 12px;border:1px solid var(--edge);border-radius:8px;background:var(--ground);color:inherit;font:inherit;resize:vertical}
h2{margin-top:16px}
td:first-child code,td:last-child{white-space:nowrap}
.badge+br+time{color:var(--quiet);font-size:14px}
`;

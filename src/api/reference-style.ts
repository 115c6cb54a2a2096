/** The CSS of the reference page: one column on a phone, a menu and two columns on a desktop, with a light and a dark theme. */
export const referenceStyle = `
:root{color-scheme:light dark;--bg:#f4f8fb;--card:#fff;--ink:#12263a;--soft:#5b7083;--line:#dbe5ee;--ice:#0b6fb8;--tint:#e8f3fb;--code:#0e2033;--codeink:#d9e8f5;--good:#157a4b;--bad:#b3261e}
@media (prefers-color-scheme:dark){:root{--bg:#0a121a;--card:#101c28;--ink:#dfeaf4;--soft:#8fa5b8;--line:#1e3040;--ice:#6fc3ff;--tint:#12293c;--code:#060d14;--codeink:#cfe2f2;--good:#5fd49c;--bad:#ff8a80}}
*{box-sizing:border-box}
html{scroll-behavior:smooth;scroll-padding-top:4.5rem}
body{margin:0;background:var(--bg);color:var(--ink);font:15px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;display:grid;grid-template-columns:19rem minmax(0,1fr);grid-template-areas:"head head" "nav main"}
header{grid-area:head;position:sticky;top:0;z-index:2;display:flex;flex-wrap:wrap;align-items:center;gap:.5rem 1.25rem;padding:.6rem 1.25rem;background:color-mix(in srgb,var(--card) 88%,transparent);backdrop-filter:blur(8px);border-bottom:1px solid var(--line)}
h1{flex:1;display:flex;align-items:center;gap:.5rem;margin:0;font-size:1.1rem;letter-spacing:.01em}
h1 svg{color:var(--ice)}
h1 small{color:var(--soft);font-weight:400}
h2{margin:1.6rem 0 .5rem;font-size:.78rem;text-transform:uppercase;letter-spacing:.08em;color:var(--soft)}
h3{margin:1.2rem 0 .4rem;font-size:.9rem}
a{color:var(--ice);text-decoration:none}
a:hover{text-decoration:underline}
code,pre,.path,.type,textarea{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.86em}
nav{grid-area:nav;position:sticky;top:3.4rem;align-self:start;max-height:calc(100vh - 3.4rem);overflow:auto;padding:1rem 1.25rem 2rem;border-right:1px solid var(--line)}
nav ul{list-style:none;margin:0;padding:0}
nav a{display:grid;grid-template-columns:auto 1fr;gap:.5rem;align-items:baseline;padding:.22rem .4rem;border-radius:.4rem;color:var(--ink);font-size:.86rem;line-height:1.35}
nav a:hover{background:var(--tint);text-decoration:none}
nav a span{display:-webkit-box;-webkit-line-clamp:2;-webkit-box-orient:vertical;overflow:hidden}
main{grid-area:main;padding:1rem 1.5rem 4rem;max-width:76rem}
.lead{color:var(--soft);max-width:60ch}
.card{margin:.5rem 0;background:var(--card);border:1px solid var(--line);border-radius:.75rem}
.card[open]{box-shadow:0 6px 24px rgb(10 40 70/.08)}
.card>summary{display:flex;flex-wrap:wrap;align-items:baseline;gap:.3rem .7rem;padding:.65rem .9rem;cursor:pointer;list-style:none;border-radius:.75rem}
.card>summary::-webkit-details-marker{display:none}
.card>summary:hover{background:var(--tint)}
.path{overflow-wrap:anywhere}
.path em{font-style:normal;color:var(--ice)}
.what{flex-basis:100%;color:var(--soft);font-size:.88rem}
b.GET,b.POST{display:inline-block;min-width:2.6rem;padding:.05rem .35rem;border-radius:.3rem;font:600 .7rem/1.5 ui-monospace,monospace;text-align:center;color:var(--ice);background:var(--tint)}
b.POST{color:var(--good)}
.columns{display:grid;grid-template-columns:minmax(0,1.15fr) minmax(0,1fr);gap:0 2rem;padding:0 1.1rem 1.1rem;border-top:1px solid var(--line)}
.field{margin:.7rem 0}
.field p,.outline p{margin:.15rem 0 0;color:var(--soft);font-size:.85rem}
.type{color:var(--soft)}
.field label{display:block;margin-bottom:.2rem}
input,select,textarea{width:100%;padding:.42rem .55rem;border:1px solid var(--line);border-radius:.45rem;background:var(--bg);color:inherit;font:inherit;font-size:.88rem}
:is(input,select,textarea,button,a,summary):focus-visible{outline:2px solid var(--ice);outline-offset:1px}
input:user-invalid{border-color:var(--bad)}
.key{display:flex;align-items:center;gap:.5rem;font-size:.85rem;color:var(--soft);white-space:nowrap}
.key input{width:11rem}
.go{display:flex;gap:.6rem;margin-top:.9rem}
button{padding:.45rem 1.1rem;border:0;border-radius:.5rem;background:var(--ice);color:var(--card);font:600 .9rem system-ui,sans-serif;cursor:pointer}
button.more{background:var(--tint);color:var(--ice)}
button:disabled{opacity:.5;cursor:wait}
pre{margin:.6rem 0 0;padding:.75rem .9rem;border-radius:.55rem;background:var(--code);color:var(--codeink);overflow:auto;max-height:30rem;line-height:1.45}
pre.curl{white-space:pre-wrap;overflow-wrap:anywhere;opacity:.85}
pre .k{color:#8fd0ff}pre .s{color:#a8e6b8}pre .n{color:#ffd28a}pre .w{color:#c9b5ff}
.status{margin:.9rem 0 0;font-weight:600}
.status.good{color:var(--good)}.status.bad{color:var(--bad)}
.status span{font-weight:400;color:var(--soft)}
.outline{list-style:none;margin:.2rem 0;padding:0}
.outline .outline{margin-left:.35rem;padding-left:.8rem;border-left:2px solid var(--line)}
.outline li{padding:.2rem 0}
.outline i{margin-left:.35rem;color:var(--soft);font-size:.78rem}
.outline summary{cursor:pointer}
.sample>summary{cursor:pointer;color:var(--ice);font-size:.88rem}
dl{display:grid;grid-template-columns:auto 1fr;gap:.15rem .8rem;margin:0;font-size:.85rem;color:var(--soft)}
dt{font-family:ui-monospace,monospace}dd{margin:0}
[hidden]{display:none!important}
@media (max-width:60rem){body{display:block}nav{position:static;max-height:none;border:0;border-bottom:1px solid var(--line);padding-bottom:1rem}nav section{display:none}main{padding:.5rem .8rem 3rem}.columns{grid-template-columns:1fr}header{position:static;padding:.5rem .8rem}html{scroll-padding-top:.5rem}.key{order:3;flex-basis:100%}.key input{flex:1}}
@media (prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
`;

// Straw is the ground of what matters, satin blue the one accent: what can be pressed, and what is measured. Colours of text keep a
// contrast of 4.5 to 1 and more on each of their grounds, in the light and in the dark.
const TOKENS = `:root{color-scheme:light dark;
--ink:light-dark(#161a2e,#eef0fa);--paper:light-dark(#fdfcf8,#10121d);--raised:light-dark(#fff,#181b2a);--soft:light-dark(#565b72,#a9afc9);--line:light-dark(#e0dccd,#2b3047);--edge:light-dark(#7b7f92,#7e859f);
--satin:light-dark(#2c3fb1,#98a8ff);--on-satin:light-dark(#fff,#10121d);--straw:light-dark(#f6efd9,#191d33);
--free:light-dark(#0f6b3a,#7fdca6);--free-bg:light-dark(#e3f4ea,#102a1d);--wait:light-dark(#7a5200,#f0c56b);--wait-bg:light-dark(#fbf0d4,#2e2308);--gone:light-dark(#8c2f1f,#f3a08f);--gone-bg:light-dark(#fae6e1,#34140d);--unk-bg:light-dark(#eceef4,#23273a);
--r:.6rem}
`;

const GROUND = `*{box-sizing:border-box}
body{margin:0;font:1rem/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);font-variant-numeric:tabular-nums;overflow-wrap:break-word}
a{color:var(--satin);text-underline-offset:.2em;text-decoration-thickness:1px}
:focus-visible{outline:3px solid var(--satin);outline-offset:2px;border-radius:.2rem}
.wrap{max-width:72rem;margin:0 auto;padding:0 1.25rem}
.main{padding-block:1.2rem 3rem}
.skip{position:absolute;left:-100vw}.skip:focus{position:static}
.visually-hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
h1{font-size:clamp(1.6rem,4vw,2.5rem);line-height:1.1;letter-spacing:-.025em;margin:0 0 .6rem;text-wrap:balance;overflow-wrap:anywhere}
h1 i,.name i{font-style:normal;font-weight:400;color:var(--soft)}
h2{font-size:1.15rem;letter-spacing:-.01em;margin:2rem 0 .6rem}
p,.text{max-width:44rem}.lead{color:var(--soft);margin:0 0 1.2rem}
small,.hint{color:var(--soft);font-size:.875rem}.hint{margin:.25rem 0 0}
header.top{border-bottom:1px solid var(--line)}header.top .wrap{display:flex;flex-wrap:wrap;gap:.4rem 1.6rem;align-items:center;padding-block:.8rem}
.brand{display:flex;gap:.55rem;align-items:center;font-weight:750;font-size:1.15rem;letter-spacing:-.01em;color:var(--ink);text-decoration:none;margin-right:auto}.mark{width:1.7rem;height:1.7rem}.find{fill:var(--satin)}
nav{display:flex;flex-wrap:wrap;gap:.3rem 1.2rem;align-items:center}nav a{color:var(--ink);text-decoration:none;padding:.25rem 0;border-bottom:2px solid transparent}nav a:hover,nav a[aria-current]{border-color:var(--satin)}nav form{margin:0}
.places{margin:0 0 1.2rem;padding-bottom:.4rem;border-bottom:1px solid var(--line)}
.sandbox{background:var(--wait-bg);color:var(--wait);padding:.35rem 0;font-size:.9rem}.sandbox p{margin:0 auto;max-width:72rem}
footer{border-top:1px solid var(--line);color:var(--soft);font-size:.9rem}footer .wrap{display:flex;flex-wrap:wrap;gap:.3rem 1.4rem;padding-block:1rem}
.hero p:first-child{margin-top:0}.main>h2:first-child{margin-top:.6rem}.hero{background:var(--straw);border-bottom:1px solid var(--line);padding:2.2rem 0 1.6rem}
.problem,.notice{border-left:.3rem solid var(--gone);padding:.5rem 1rem;font-weight:600}.notice{border-color:var(--free)}
pre{overflow-x:auto;padding:.75rem;border:1px solid var(--line);border-radius:var(--r);background:var(--raised)}
code,[data-copy]{font-family:ui-monospace,monospace;font-size:.95em}
dl{display:grid;grid-template-columns:auto 1fr;gap:.35rem 1.2rem;margin:0}dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
.panel{background:var(--raised);border:1px solid var(--line);border-radius:var(--r);padding:1rem 1.2rem;margin:0 0 1rem}.panel h2{margin-top:0}
.grid{display:grid;gap:1.2rem 2rem;grid-template-columns:minmax(0,2fr) minmax(16rem,1fr)}.grid>*{min-width:0}.grid>*>h2:first-child{margin-top:0}
.aside-first{grid-template-columns:12rem minmax(0,1fr)}.menu{align-items:start}.menu ul{list-style:none;margin:0;padding:0;display:grid;gap:.3rem;position:sticky;top:1rem}.prose>:first-child{margin-top:0}.prose table{margin:.6rem 0}.prose li{max-width:42rem;margin:.2rem 0}
`;

const FORMS = `button,.btn{font:inherit;font-weight:650;padding:.55rem 1.1rem;border:1px solid transparent;border-radius:.45rem;background:var(--satin);color:var(--on-satin);text-decoration:none;display:inline-block;cursor:pointer}
.btn.quiet,button.quiet{background:transparent;color:var(--satin);border-color:var(--edge)}
.btn.small,button.small{padding:.3rem .8rem}
button.danger{background:var(--gone);color:var(--paper)}
button.plain{padding:0;background:none;color:var(--satin);font-weight:400;text-decoration:underline}
.actions{display:flex;flex-wrap:wrap;gap:.6rem;align-items:center;margin:.8rem 0}.actions form{margin:0}
form.stack{max-width:32rem;margin:1rem 0}form.stack button{margin-top:1rem}
label{display:block;margin-top:.75rem;font-weight:600}
fieldset{border:1px solid var(--edge);border-radius:.45rem;margin:1rem 0 0}fieldset label{font-weight:400;margin-top:.25rem}
input:not([type=radio],[type=checkbox]),select,textarea{font:inherit;color:inherit;background:var(--raised);width:100%;padding:.45rem .6rem;border:1px solid var(--edge);border-radius:.35rem}
.key input{font-family:ui-monospace,monospace}
.q{display:grid;grid-template-columns:1fr auto;border:1px solid var(--edge);border-radius:var(--r);background:var(--raised);box-shadow:0 8px 24px -12px #0003}
.q input:not([type=radio],[type=checkbox]){font-size:1.2rem;padding:.8rem 1rem;border:0;background:transparent;min-width:0}.q button{border-radius:0 .5rem .5rem 0;padding-inline:1.5rem}
.filters{margin-top:.8rem}.filters summary{cursor:pointer;color:var(--satin)}
.fields{display:grid;grid-template-columns:repeat(auto-fill,minmax(10rem,1fr));gap:0 1rem;margin-bottom:.8rem}
.chips{display:flex;flex-wrap:wrap;gap:.4rem;margin:.8rem 0 0;padding:0;list-style:none}
.chips a{display:inline-flex;gap:.45rem;padding:.25rem .7rem;border-radius:99rem;background:var(--raised);border:1px solid var(--line);color:var(--ink);text-decoration:none;font-size:.92rem}.chips a[aria-current]{background:var(--satin);color:var(--on-satin);border-color:var(--satin)}.chips b{font-weight:500}
`;

const LISTS = `.truth{display:flex;flex-wrap:wrap;gap:.2rem 1.6rem;font-size:.9rem;color:var(--soft);padding:.75rem 0;margin:0;max-width:none;border-bottom:1px solid var(--line)}.truth b{color:var(--ink);font-weight:650}
.table{overflow-x:auto;position:relative}table{border-collapse:collapse;width:100%}caption{text-align:left;font-weight:600;padding:.5rem 0}
th,td{text-align:left;vertical-align:top;padding:.5rem .9rem .5rem 0;border-bottom:1px solid var(--line)}thead th{font-size:.875rem;font-weight:600;color:var(--soft)}
th[scope=row]{overflow-wrap:anywhere;min-width:6rem}
.n{text-align:right;white-space:nowrap}.names td,.names th{vertical-align:middle;padding-block:.65rem}
.names .score,.names .said{white-space:nowrap}:is(.name i,.names time){white-space:nowrap}
.name{font-size:1.12rem;font-weight:650;letter-spacing:-.01em;text-decoration:none;color:var(--ink)}.name:hover{text-decoration:underline}
.bar{width:5.5rem;height:.42rem;border-radius:9rem;background:var(--unk-bg);vertical-align:middle;margin-right:.5rem}.bar rect{fill:var(--satin)}
.spark{width:6.2rem;height:1.5rem;display:block;fill:var(--satin)}
.qr{width:13rem;max-width:100%;height:auto;display:block;margin:.8rem 0;background:#fff;fill:#000}
.chart{width:100%;height:auto;display:block}.chart path{fill:var(--satin)}:is(.chart,.legend) .part-0{fill:var(--satin)}:is(.chart,.legend) .part-1{fill:var(--free)}:is(.chart,.legend) .part-2{fill:var(--wait)}:is(.chart,.legend) .part-3{fill:var(--gone)}:is(.chart,.legend) .part-4{fill:var(--soft)}
.chart .most{text-anchor:start}.chart .base{fill:var(--line)}
.legend{display:flex;flex-wrap:wrap;gap:.3rem 1.2rem;padding:0;list-style:none}.legend svg{width:.8rem;height:.8rem}
.chart{overflow:visible}.chart text{font-size:12px;fill:var(--soft);text-anchor:middle}
.chip{display:inline-flex;gap:.4rem;align-items:center;font-size:.875rem;font-weight:600;padding:.14rem .6rem;border-radius:99rem;white-space:nowrap}.chip::before{content:"";width:.5rem;height:.5rem;border-radius:50%;background:currentColor}
.free{color:var(--free);background:var(--free-bg)}.wait{color:var(--wait);background:var(--wait-bg)}.gone{color:var(--gone);background:var(--gone-bg)}.unk{color:var(--soft);background:var(--unk-bg)}
.rates{max-width:100%;height:auto}
.foot{display:flex;flex-wrap:wrap;gap:.5rem 1.2rem;align-items:center;justify-content:space-between;padding:1rem 0}
.count{display:flex;gap:.6rem 1.6rem;flex-wrap:wrap;margin:1rem 0}.count div{display:flex;flex-direction:column}.count dt{order:2;font-size:.875rem}.count dd{font-size:1.7rem;font-weight:700;letter-spacing:-.02em;line-height:1.1}
.sib{display:grid;grid-template-columns:repeat(3,1fr);gap:.6rem;padding:0;margin:0;list-style:none}.sib li{border:1px solid var(--line);border-radius:.5rem;padding:.6rem .8rem;display:grid;gap:.25rem;background:var(--raised);justify-items:start}
ol.time{list-style:none;margin:0;padding:0 0 0 1.1rem;border-left:2px solid var(--line)}ol.time li{position:relative;padding:.3rem 0}ol.time li::before{content:"";position:absolute;left:-1.47rem;top:.75rem;width:.6rem;height:.6rem;border-radius:50%;background:var(--satin);border:2px solid var(--paper)}
.month{max-width:32rem;table-layout:fixed}.month small{display:block;min-height:1.3em;font-size:.75rem;line-height:1.3;font-weight:400}.due{color:var(--wait)}.month [aria-current] small{color:inherit}.month th,.month td{padding:.2rem;text-align:center;border:0}.month a{display:block;padding:.25rem;border-radius:.4rem;text-decoration:none}.month [aria-current]{background:var(--satin);color:var(--on-satin)}
`;

// A row is a card there: the name, what can be done with it, and below them the rest.
const NARROW = `@media(max-width:40rem){
.grid{grid-template-columns:minmax(0,1fr)}.menu ul{display:flex;flex-wrap:wrap;gap:.2rem 1rem}.sib{grid-template-columns:repeat(2,minmax(0,1fr))}.sib .chip{white-space:normal}
.cards thead{position:absolute;clip-path:inset(50%)}.cards,.cards tbody,.cards caption{display:block}.cards:not(.names) :is(td,th){grid-column:1/-1}
.cards tr{display:grid;grid-template-columns:minmax(0,1fr) auto;gap:.25rem .8rem;align-items:center;padding:.8rem 0;border-bottom:1px solid var(--line)}
.cards td,.cards th{border:0;padding:0}.cards .wide{grid-column:1/-1}.names .hide{display:none}.cards .do{grid-area:1/2/4/3}.names tr{row-gap:.1rem}.names .said,.names .score{grid-column:1}
.cards td[data-label]::before{content:attr(data-label) ": ";color:var(--soft);font-size:.875rem}
.q button{padding-inline:1rem}
}
`;

// A chart is drawn once and shown as wide as there is room: its letters grow as it shrinks, and every other label goes.
const CHART_LABELS = `@media(max-width:48rem){.chart text{font-size:16px}}@media(max-width:31rem){.chart text{font-size:22px}.chart .odd{display:none}}@media(max-width:24rem){.chart text{font-size:27px}}
`;

/** The one style sheet of all pages. */
export const STYLESHEET = TOKENS + GROUND + FORMS + LISTS + NARROW + CHART_LABELS;

/** The pages' one stylesheet. Colours keep a contrast of 4.5 to 1 and more, in the light and in the dark. */
export const STYLESHEET = `:root {
  color-scheme: light dark;
  --text: light-dark(#1c1c1c, #ececec);
  --back: light-dark(#ffffff, #16181a);
  --soft: light-dark(#55595e, #b4b9bf);
  --line: light-dark(#767b80, #8a9097);
  --accent: light-dark(#0b57a4, #8fc1f7);
  --danger: light-dark(#a3121f, #ff9a9a);
  --good: light-dark(#12622c, #8fd8a3);
}
* { box-sizing: border-box }
body { font: 1rem/1.55 system-ui, sans-serif; color: var(--text); background: var(--back); max-width: 64rem; margin: 0 auto; padding: 1rem }
header, nav { display: flex; flex-wrap: wrap; gap: 1rem; align-items: center; justify-content: space-between }
nav form { margin: 0 }
h1 { line-height: 1.2; overflow-wrap: anywhere }
a { color: var(--accent) }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
.skip { position: absolute; left: -100vw }
.skip:focus { position: static }
.visually-hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
form { max-width: 32rem; margin: 1rem 0 }
label { display: block; margin-top: .75rem; font-weight: 600 }
fieldset label { font-weight: 400; margin-top: .25rem }
fieldset { border: 1px solid var(--line); margin: 1rem 0 0 }
input:not([type=radio], [type=checkbox]), select { font: inherit; color: inherit; background: var(--back); width: 100%; padding: .45rem .6rem; border: 1px solid var(--line); border-radius: .25rem }
button { font: inherit; font-weight: 600; margin-top: 1rem; padding: .5rem 1rem; border: 1px solid var(--accent); border-radius: .25rem; background: var(--accent); color: var(--back); cursor: pointer }
button.danger { border-color: var(--danger); background: var(--danger) }
button.plain { margin: 0; padding: 0; border: 0; background: none; color: var(--accent); font-weight: 400; text-decoration: underline }
.hint { color: var(--soft); margin: .25rem 0 0 }
.problem, .notice { border-left: .3rem solid var(--danger); padding: .5rem 1rem; font-weight: 600 }
.notice { border-color: var(--good) }
.table { overflow-x: auto }
table { border-collapse: collapse; width: 100% }
caption { text-align: left; font-weight: 600; padding: .5rem 0 }
th, td { text-align: left; vertical-align: top; padding: .5rem .75rem .5rem 0; border-bottom: 1px solid var(--line) }
th[scope=row] { overflow-wrap: anywhere; min-width: 6rem }
code, [data-copy] { font-family: ui-monospace, monospace }
pre { overflow-x: auto; padding: .75rem; border: 1px solid var(--line) }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .4rem 1.5rem }
dt { font-weight: 600 }
dd { margin: 0; overflow-wrap: anywhere }
`;

/** A comfort only: puts a copy button beside the new key. Without it the key is selected and copied by hand. */
export const SCRIPT = `for (const field of document.querySelectorAll('[data-copy]')) {
  field.addEventListener('focus', () => field.select());
  if (!navigator.clipboard) continue;
  const button = document.createElement('button');
  const said = document.createElement('span');
  button.type = 'button';
  button.textContent = 'Copy the key';
  said.setAttribute('role', 'status');
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(field.value);
      said.textContent = ' Copied.';
    } catch {
      field.select();
      said.textContent = ' It is selected: copy it with your keyboard.';
    }
  });
  field.after(button, said);
}
`;

// What this device chose of the looks of the pages. It runs before anything is drawn, so that no page flashes in another
// theme; without it pages follow the system.
const looks = TEXTS;

function chosenLook(name) {
  const values = Object.keys(looks[name].choices);
  try {
    const value = localStorage.getItem(name);
    return values.includes(value) ? value : values[0];
  } catch {
    return values[0];
  }
}

function applyLooks() {
  document.documentElement.className = Object.keys(looks).map(chosenLook).join(' ');
}

/** Buttons, of which one is pressed. */
function lookSwitch(name) {
  const { title, choices } = looks[name];
  const group = document.createElement('div');
  group.className = 'seg';
  group.setAttribute('role', 'group');
  group.setAttribute('aria-label', title);
  const show = () => {
    for (const button of group.children)
      button.setAttribute('aria-pressed', button.value === chosenLook(name));
  };
  for (const [value, words] of Object.entries(choices)) {
    const button = document.createElement('button');
    Object.assign(button, { type: 'button', value, textContent: words });
    button.addEventListener('click', () => {
      try {
        localStorage.setItem(name, value);
      } catch {
        // This browser keeps nothing: the choice would be gone with the page.
      }
      applyLooks();
      show();
    });
    group.append(button);
  }
  show();
  return group;
}

applyLooks();
document.addEventListener('DOMContentLoaded', () => {
  const place = document.createElement('div');
  const heading = document.createElement('h2');
  heading.textContent = looks.theme.title;
  place.append(heading, lookSwitch('theme'));
  document.querySelector('.foot p')?.before(place);
});

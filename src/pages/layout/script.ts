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

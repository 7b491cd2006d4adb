// Passkeys, by the functions of @simplewebauthn/browser, which stand above. Without this file everything else of the pages works.
(() => {
  const { browserSupportsWebAuthn, startAuthentication, startRegistration } = SimpleWebAuthnBrowser;

  /** What the browser is asked, or the words of the page that says why not. */
  async function askFor(form) {
    const { password, code } = form.elements;
    const answer = await fetch(`${form.getAttribute('action')}/options`, {
      method: 'POST',
      body: new URLSearchParams({
        ...(password && { password: password.value }),
        ...(code && { code: code.value }),
      }),
    });
    // To the page that asks for a fresh proof.
    if (answer.redirected) {
      location.assign(answer.url);
      return new Promise(() => {});
    }
    if (answer.ok && answer.headers.get('Content-Type').startsWith('application/json')) return answer.json();
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    throw new Error(
      page.querySelector('main .problem, main .note.bad')?.textContent ??
        'That did not work. Load the page again.',
    );
  }

  function wordsOf(error) {
    if (error.name === 'InvalidStateError') return 'This device has a passkey of your account already.';
    if (error.name === 'NotAllowedError' || error.name === 'AbortError')
      return 'Nothing was done: it was cancelled, or took too long.';
    return error.message;
  }

  function run(form) {
    const said = document.createElement('p');
    said.setAttribute('role', 'alert');
    form.prepend(said);
    // A form that can also be sent without a passkey has a button of its own for it.
    const own = form.querySelector('[data-passkey-button]');
    if (own) own.hidden = false;
    form.addEventListener('submit', async (event) => {
      if (own && event.submitter !== own) return;
      event.preventDefault();
      const button = own ?? form.querySelector('button');
      button.disabled = true;
      said.textContent = '';
      said.className = '';
      try {
        const optionsJSON = await askFor(form);
        const proof =
          form.dataset.passkey === 'add'
            ? await startRegistration({ optionsJSON })
            : await startAuthentication({ optionsJSON });
        form.elements.response.value = JSON.stringify(proof);
        // They were asked for with the options.
        for (const asked of ['password', 'code'])
          if (form.elements[asked]) form.elements[asked].disabled = true;
        form.submit();
      } catch (error) {
        said.className = 'problem';
        said.textContent = wordsOf(error);
        button.disabled = false;
      }
    });
    form.hidden = false;
  }

  // Browsers take none for the number of a machine.
  if (!browserSupportsWebAuthn() || /^[\d.]+$|:/.test(location.hostname)) return;
  document.querySelectorAll('form[data-passkey]').forEach(run);
  document.querySelectorAll('[data-passkey-without]').forEach((words) => words.remove());
})();

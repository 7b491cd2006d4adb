import { FormsInPlace, withProblem } from './forms-in-place.js';

const PAGE =
  '<h1>Webhooks</h1><form action="/hooks/1/pause"></form><details><summary>New</summary><form action="/hooks">' +
  '<label for="url">Address</label><input id="url" name="url" aria-describedby="rule" value="old">' +
  '<input type="hidden" name="key" value="kept"><input type="password" name="password" id="password">' +
  '<input type="checkbox" name="on" value="a" checked><input type="checkbox" name="on" value="b">' +
  '<select id="mode" name="mode"><option value="x" selected>X<option value="y">Y</select>' +
  '<textarea id="text" name="text"></textarea></form></details>';

describe('a refused form', () => {
  const entered = {
    url: 'http://"<b>',
    password: 'secret',
    key: 'forged',
    on: 'b',
    mode: 'y',
    text: '</textarea>',
  };
  const html = withProblem(PAGE, '/hooks', entered, 'url must be https');

  it('has what was entered again, escaped, and neither passwords nor hidden fields', () => {
    expect(html).toContain('value="http://&quot;&lt;b&gt;"');
    expect(html).toContain('<textarea id="text" name="text">&lt;/textarea&gt;</textarea>');
    expect(html).toContain('value="b" checked>');
    expect(html).not.toContain('value="a" checked>');
    expect(html).toContain('<option value="x">X<option value="y" selected>');
    expect(html).toContain('name="key" value="kept"');
    expect(html).not.toMatch(/secret|forged|<b>"/);
  });

  it('marks the field and calls it by its label, in sight', () => {
    expect(html).toContain('<p class="err" id="url-error">Address must be https.</p><input id="url"');
    expect(html).toContain('aria-invalid="true" aria-describedby="url-error rule" autofocus>');
    expect(html).toContain('<details open>');
    expect(html).toContain('<a href="#url">Go to Address</a>');
  });

  it('marks each field that is named, focuses the first, and has labels for all names', () => {
    const page =
      '<h1>N</h1><form action="/n"><label for="a">Fewest</label><input id="a" name="min_length">' +
      '<label for="b">Most</label><input id="b" name="max_length"></form>';
    const message = 'min_length must be below max_length; max_length must be 3; max_length must be even';
    const marked = withProblem(page, '/n', {}, message);
    expect(marked).toContain('id="a-error">Fewest must be below Most.</p>');
    expect(marked).toContain('id="b-error">Most must be 3.</p>');
    expect(marked.match(/autofocus/g)).toHaveLength(1);
    expect(marked).not.toContain('even');
  });

  it('says what is wrong above a form that has no such field', () => {
    expect(withProblem(PAGE, '/hooks', {}, 'Too many <now>')).toContain(
      'role="alert">Too many &lt;now&gt;.</p>',
    );
    expect(withProblem(PAGE, '/elsewhere', {}, 'No')).toContain('role="alert">No.</p>');
  });
});

it('the page of a form is the one with the longest path', () => {
  const pages = new FormsInPlace();
  pages.register('/hooks', () => 'list');
  pages.register('/hooks/:id', () => 'one');
  expect(pages.find('/hooks/7/pause')).toMatchObject({ id: '7' });
  expect(pages.find('/hooks')?.id).toBe('hooks');
  expect(pages.find('/other')).toBeUndefined();
});

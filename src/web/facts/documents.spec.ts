import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_FOLDER } from '../../config/product.js';
import { changeEntries, changesForCallers } from './changes.js';
import { renderMarkdown } from './documents.js';

const render = (text: string) => renderMarkdown(text, (href) => `/docs/${href}`).html;

describe('Markdown on pages', () => {
  it.each([
    ['markup', '<script>alert(1)</script> <b onclick=x>', '<script', '<b '],
    ['a link that runs code', '[x](javascript:alert(1))', 'href='],
    ['a picture, which would be loaded', '![x](https://example.com/x.png)', '<img'],
    ['a language that ends its attribute', '```"onclick="x\ncode\n```', '"onclick='],
  ])('obeys nothing in %s', (_, text, ...forbidden) => {
    for (const part of forbidden) expect(render(text)).not.toContain(part);
  });

  it('gives headings a place, links their address, and lets wide things be scrolled', () => {
    const { title, parts, html } = renderMarkdown(
      '# The `one`\n\n## What arrives, and *when*\n\n[it](limits.md)\n\n| a |\n|---|\n| b |\n\n```js\n1 < 2\n```',
      (href) => `/docs/${href.replace('.md', '')}`,
    );
    expect(title).toBe('The one');
    expect(parts).toEqual([{ words: 'What arrives, and when', id: 'what-arrives-and-when' }]);
    expect(html).toContain('<h2 id="what-arrives-and-when">');
    expect(html).toContain(
      '<a class="anchor" href="#what-arrives-and-when" aria-label="Link to What arrives',
    );
    expect(html).toContain('<a href="/docs/limits">it</a>');
    expect(html).toContain('<div class="table" role="region" aria-label="Table 1" tabindex="0"><table>');
    expect(html).toContain('<pre tabindex="0"><code>1 &lt; 2\n</code></pre>');
  });

  it('puts code that follows code beside it, as tabs', () => {
    const html = render('```js\n1\n```\n```python\n2\n```\n\nText\n\n```sh\n3\n```');
    expect(html.match(/<div class="code"/g)).toHaveLength(2);
    expect([...html.matchAll(/type="radio" name="code-0" value="(\w+)"/g)].map(([, one]) => one)).toEqual([
      'js',
      'python',
    ]);
    expect(html).toContain('<pre class="alt python" tabindex="0"><code>2\n</code></pre>');
    expect(html).toContain('<span class="soft">Shell</span>');
  });

  it('has no link to what is not there, and its words all the same', () => {
    const { html } = renderMarkdown('[not *here*](x.md), [here](y.md)', (href) =>
      href === 'x.md' ? null : '/y',
    );
    expect(html).toBe('<p>not <em>here</em>, <a href="/y">here</a></p>\n');
  });
});

describe('the changelog', () => {
  const changelog = readFileSync(join(PROJECT_FOLDER, 'CHANGELOG.md'), 'utf8');

  it('has on the page and in the feed what callers must know, and nothing else', () => {
    const text = changesForCallers(changelog, 'The rule.');
    expect(text).toContain('## Unreleased\n\n### Added\n\n- `/docs/changelog` has');
    expect(text).toContain('## 1.1.0 (2026-11-23)');
    expect(text).not.toContain('npm run');
    expect(text.match(/^- /gm)?.length).toBeLessThan((changelog.match(/^- /gm)?.length ?? 0) / 2);
    expect(changeEntries(changelog, 'https://x.example/changelog').map(({ id }) => id)).toEqual([
      'https://x.example/changelog/1.1.0',
      'https://x.example/changelog/1.0.0',
    ]);
  });

  it('says each change in twenty words at most', () => {
    const long = changelog
      .split('\n')
      .filter((line) => line.startsWith('- ') && line.slice(2).split(/\s+/).length > 20);
    expect(long).toEqual([]);
  });
});

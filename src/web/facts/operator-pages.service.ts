import { Injectable, type OnModuleInit } from '@nestjs/common';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Config } from '../../config/config.js';
import { PROJECT_FOLDER } from '../../config/product.js';
import { once } from '../../validation/caches.js';
import { type Rendered, renderMarkdown } from '../docs/markdown.js';
import { renderLayout, siteOf } from '../layout/layout.js';

export const OPERATOR_PAGES = ['about', 'terms', 'privacy'] as const;
export type OperatorPage = (typeof OPERATOR_PAGES)[number];

/** What only the operator can say: Markdown files of theirs, or samples that say that they are samples. */
@Injectable()
export class OperatorPagesService implements OnModuleInit {
  private readonly pages = new Map<OperatorPage, () => Rendered>();

  constructor(private readonly config: Config) {}

  /** A file that cannot be read ends the start. */
  async onModuleInit(): Promise<void> {
    for (const page of OPERATOR_PAGES) {
      const file = this.config.site.files[page] ?? join(PROJECT_FOLDER, 'docs', 'site', `${page}.md`);
      const text = await readFile(file, 'utf8');
      this.pages.set(
        page,
        once(() => renderMarkdown(text, (href) => href)),
      );
    }
  }

  show(page: OperatorPage, signedIn: boolean): string {
    const { title = '', html = '' } = this.pages.get(page)?.() ?? {};
    const isSample = this.config.site.files[page] === undefined;
    return renderLayout(siteOf(this.config), {
      title: title || page,
      description: `${title} of this site.`,
      canonical: isSample ? undefined : `/${page}`,
      signedIn,
      body: `<main id="main" tabindex="-1" class="wrap main prose">${html}</main>`,
    });
  }
}

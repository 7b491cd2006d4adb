import type { AtomEntry } from '../layout/layout.js';
import { fillIn, t } from '../../texts/texts.js';

/** Ends the headings of CHANGELOG.md whose entries are for callers of API, MCP, exports and webhooks. */
const MARK = ' for callers';

/** A release with what callers must know of it. */
interface Release {
  /** `1.1.0`, or `Unreleased`. */
  readonly version: string;
  /** Null: not released yet. */
  readonly day: string | null;
  /** Markdown. */
  readonly text: string;
}

function releasesIn(changelog: string): Release[] {
  return [...changelog.matchAll(/^## \[(.+?)\](?: - (\S+))?\n([^]*?)(?=^## |$(?![^]))/gm)].flatMap(
    ([, version = '', day, all = '']) => {
      const parts = all.split(/^(?=### )/m).filter((part) => part.split('\n', 1)[0]?.endsWith(MARK));
      const text = parts.map((part) => part.replace(MARK, '').trim()).join('\n\n');
      return text === '' ? [] : [{ version, day: day ?? null, text }];
    },
  );
}

/** CHANGELOG.md with the entries for callers alone. @param rule how the API changes */
export function changesForCallers(changelog: string, rule: string): string {
  const releases = releasesIn(changelog).map(
    ({ version, day, text }) => `## ${day === null ? version : `${version} (${day})`}\n\n${text}`,
  );
  return [`# ${t.docs.changes}`, t.docs.changesLead, rule, ...releases].join('\n\n');
}

/** The released ones as a feed has them. */
export function changeEntries(changelog: string, pageUrl: string): AtomEntry[] {
  return releasesIn(changelog).flatMap(({ version, day, text }) =>
    day === null
      ? []
      : {
          id: `${pageUrl}/${version}`,
          title: fillIn(t.docs.release, { version }),
          url: pageUrl,
          updated: new Date(day),
          summary: text.replaceAll(/`|^#+ /gm, ''),
        },
  );
}

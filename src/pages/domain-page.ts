import type { DomainDto } from '../domains/domain.dto.js';
import type { EvidenceDto } from '../domains/evidence.dto.js';
import { DOMAIN_STATES } from '../domains/lifecycle/states.js';
import type { SiteView } from './layout/layout.js';
import { definePlainPage, type PlainView } from './plain-page.js';

const page = definePlainPage<DomainPage & PlainView>(`
    <dl>
      <dt>Suffix</dt><dd>.<%= it.record.tld %></dd>
      <dt>Length</dt><dd><%= it.record.length %> characters, without the suffix</dd>
      <dt>Archive score</dt><dd><%= it.record.wayback %></dd>
      <dt>First seen</dt><dd><%= it.record.first_seen ?? 'not known' %></dd>
      <dt>Who may have it</dt><dd><%= it.eligibility %></dd>
      <% if (it.caution) { %>
      <dt>Mind</dt><dd><%= it.caution %></dd>
      <% } %>
      <dt>State</dt><dd><%= it.evidence.state %><% if (it.evidence.confirmed) { %>, said by <%= it.evidence.confirmed_by %> at <%= it.evidence.checked_at %><% } else { %>; no registry has confirmed it<% } %></dd>
      <% if (it.evidence.listed_at) { %>
      <dt>Drop list</dt><dd><%= it.evidence.list_kind ?? 'kind not known' %>, seen at <%= it.evidence.listed_at %></dd>
      <% } %>
      <% if (it.evidence.purge_at) { %>
      <dt>Purge</dt><dd><%= it.evidence.purge_at %></dd>
      <% } %>
      <% if (it.isMadeUp) { %>
      <dt>Mind</dt><dd>The sandbox said so, which is made up: it is never true of the real world.</dd>
      <% } %>
    </dl>
    <ul>
      <li><a href="<%= it.checkUrl %>">Ask the registry now</a></li>
      <% if (it.record.register_url) { %>
      <li><a rel="nofollow" href="<%= it.record.register_url %>">Register it at an accredited registrar</a> (this link buys nothing by itself)</li>
      <% } %>
      <li><a rel="nofollow" href="<%= it.record.wayback_url %>">Its history in the web archive</a></li>
    </ul>
`);

const missingPage = definePlainPage<MissingPage & PlainView>(`
    <% if (it.caution) { %>
    <p><%= it.caution %></p>
    <% } %>
    <ul>
      <li><a href="<%= it.checkUrl %>">Ask the registry now</a></li>
    </ul>
`);

export interface DomainPage {
  readonly record: DomainDto;
  readonly evidence: EvidenceDto;
  /** Whether it rests on the word of the sandbox. */
  readonly isMadeUp: boolean;
  readonly checkUrl: string;
  /** Who may hold a name of the suffix. */
  readonly eligibility: string;
  /** What is known against the name, as sentences, or null. */
  readonly caution: string | null;
}

/** The detail page of one name, as HTML without scripts. */
export function renderDomainPage(site: SiteView, view: DomainPage): string {
  return page(site, { ...view, heading: view.record.domain, summary: DOMAIN_STATES[view.evidence.state] });
}

interface MissingPage extends Pick<DomainPage, 'checkUrl' | 'caution'> {
  readonly domain: string;
}

/** The page of a name that the dataset does not show, whatever the reason. */
export function renderMissingPage(site: SiteView, view: MissingPage): string {
  const summary =
    'The dataset of dropped names does not hold this name. That says nothing about whether it can be registered.';
  return missingPage(site, { ...view, heading: view.domain, summary });
}

/**
 * The checkout of the registrar for a name.
 *
 * @param template a URL with `{domain}` where the percent-encoded name belongs
 */
export function registerUrl(template: string, domain: string): string {
  // A function as replacement, because "$&" and the like in a text would be taken for a pattern.
  return template.replaceAll('{domain}', () => encodeURIComponent(domain));
}

/** Our own page about a name. @param baseUrl without a slash at the end */
export function detailUrl(baseUrl: string, domain: string): string {
  return `${baseUrl}/domains/${encodeURIComponent(domain)}`;
}

/** The calendar of the Internet Archive's captures of a name. */
export function waybackUrl(domain: string): string {
  return `https://web.archive.org/web/*/${encodeURIComponent(domain)}`;
}

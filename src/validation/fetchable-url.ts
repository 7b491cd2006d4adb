/** Whether what is read from there cannot be changed on its way: https, or http from this machine. No user, no white space. */
export function isHttpsOrLoopbackUrl(text: string): boolean {
  if (!/^https?:\/\/[^\s@]+$/.test(text) || !URL.canParse(text)) return false;
  const url = new URL(text);
  return url.protocol === 'https:' || isLoopbackUrl(url);
}

/** Whether the address is one of this machine. Names are not resolved: only `localhost` counts. */
export function isLoopbackUrl({ hostname }: URL): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}

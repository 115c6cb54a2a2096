/** Paths as Go's net/url and gorilla/mux v1.8.0 see them. Decoded ones have one character per byte, whatever the bytes spell. */

/** Whether a percent sign stands without two hex digits: such a request is refused before anything looks at it. */
export const isMalformed = (path: string): boolean => path.includes('%') && /%(?![0-9a-fA-F]{2})/.test(path);

export const decodePath = (path: string): string =>
  path.includes('%') ? path.replace(/%([0-9a-fA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))) : path;

/** The text that a path spells. */
export const readPath = (path: string): string => Buffer.from(decodePath(path), 'latin1').toString();

/** What a redirect's location may hold as it is. Peer: Go's net/url, shouldEscape for a path. */
export const encodePath = (path: string): string =>
  path.replace(/[^A-Za-z0-9\-_.~$&+,/:;=@]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);

/** The path without empty, `.` and `..` segments; a slash at the end stays. Peer: gorilla/mux, cleanPath. */
export function cleanPath(path: string): string {
  const kept: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') kept.pop();
    else if (segment !== '' && segment !== '.') kept.push(segment);
  }
  const clean = `/${kept.join('/')}`;
  return path.endsWith('/') && clean !== '/' ? `${clean}/` : clean;
}

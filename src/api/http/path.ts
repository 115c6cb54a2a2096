/** Paths by the rules of Go's net/url and gorilla/mux v1.8.0. A decoded path has one character per byte, even if the bytes are not valid UTF-8. */

/** Whether a percent sign is not followed by two hex digits. Such a request is rejected first. */
export const hasMalformedEscape = (path: string): boolean => path.includes('%') && /%(?![0-9a-fA-F]{2})/.test(path);

export const decodePath = (path: string): string =>
  path.includes('%') ? path.replace(/%([0-9a-fA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))) : path;

/** Decodes a path into text, reading its bytes as UTF-8. */
export const decodePathText = (path: string): string => Buffer.from(decodePath(path), 'latin1').toString();

/** Encodes a decoded path for a Location header. Go: net/url, shouldEscape for a path. */
export const encodePath = (path: string): string =>
  path.replace(/[^A-Za-z0-9\-_.~$&+,/:;=@]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);

/** Resolves empty, `.` and `..` segments; a trailing slash stays. AvalancheGo: gorilla/mux, cleanPath. */
export function cleanPath(path: string): string {
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  const clean = `/${segments.join('/')}`;
  return path.endsWith('/') && clean !== '/' ? `${clean}/` : clean;
}

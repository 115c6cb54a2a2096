import type { HttpRequest } from '../../api/http/message.ts';
import { util, zlib } from '../../base/bytes/runtime-modules.ts';

/** Smaller bodies fit into one packet anyway. */
const minBytes = 1400;
/** Fast levels: pages are rendered for every request. A page of 300 kB takes 3 ms, in another thread. */
const gzipLevel = 5;
const brotliQuality = 4;

export type Encoding = 'br' | 'gzip' | 'plain';

/** The best encoding that a client accepts. `q=0` refuses one. */
export function acceptedEncoding(accepted: string): Encoding {
  const isAccepted = (name: string): boolean =>
    accepted.split(',').some((part) => {
      const [token = '', ...params] = part.split(';').map((piece) => piece.trim().toLowerCase());
      return token === name && !params.some((param) => /^q=0(\.0*)?$/.test(param));
    });
  return isAccepted('br') ? 'br' : isAccepted('gzip') ? 'gzip' : 'plain';
}

/** The encoding for a body: none for small ones. */
export const encodingFor = (request: HttpRequest, body: Uint8Array): Encoding =>
  body.length < minBytes ? 'plain' : acceptedEncoding(request.header('accept-encoding') ?? '');

/** Compresses in another thread. */
export async function compressBytes(body: Uint8Array, encoding: Encoding, quality = brotliQuality): Promise<Uint8Array> {
  if (encoding === 'plain') return body;
  const { brotliCompress, constants, gzip } = zlib();
  const { promisify } = util();
  if (encoding === 'gzip') return promisify(gzip)(body, { level: gzipLevel });
  return promisify(brotliCompress)(body, {
    params: { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: body.length },
  });
}

/**
 * Compresses the HTML of a page if the client accepts it. The length of compressed text reveals its parts, so text that an attacker
 * chooses must not be compressed together with a secret. Pages contain no cookie, token or API key; the page that contains private keys
 * is sent with `isSecret`.
 */
export async function compressBody(
  request: HttpRequest,
  text: string,
  isSecret: boolean,
): Promise<{ readonly body: Uint8Array; readonly encoding: Encoding }> {
  const body = Buffer.from(text);
  const encoding = isSecret ? 'plain' : encodingFor(request, body);
  return { body: await compressBytes(body, encoding), encoding };
}

import { promisify } from 'node:util';
import type { HttpRequest } from '../../api/http/message.ts';
import { zlib } from '../../base/bytes/runtime-modules.ts';

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

/**
 * Compresses the text of a page if the client accepts it. The length of compressed text reveals its parts, so text that an attacker
 * chooses must not be compressed together with a secret. Pages contain no cookie, token or API key; the page that contains private keys
 * is sent with `isSecret`.
 */
export async function compressBody(
  request: HttpRequest,
  text: string | Uint8Array,
  isSecret: boolean,
): Promise<{ readonly body: Uint8Array; readonly encoding: Encoding }> {
  const body = typeof text === 'string' ? Buffer.from(text) : text;
  const encoding = isSecret || body.length < minBytes ? 'plain' : acceptedEncoding(request.header('accept-encoding') ?? '');
  if (encoding === 'plain') return { body, encoding };
  const { brotliCompress, constants, gzip } = zlib();
  if (encoding === 'gzip') return { body: await promisify(gzip)(body, { level: gzipLevel }), encoding };
  const params = { [constants.BROTLI_PARAM_QUALITY]: brotliQuality, [constants.BROTLI_PARAM_SIZE_HINT]: body.length };
  return { body: await promisify(brotliCompress)(body, { params }), encoding };
}

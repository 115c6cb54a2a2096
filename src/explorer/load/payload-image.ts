import type { Utxo } from '../../api/contract/answers.ts';
import type { HttpResponse } from '../../api/http/message.ts';
import { fromHex } from '../../base/bytes/hex.ts';
import { imageTypeOf } from '../text/payload-kind.ts';
import { chainPath, type PageContext } from './page-context.ts';
import { readIfFound, type Source } from './source.ts';

/** Bytes of the largest image. The chain allows payloads of 1 KiB; the limit does not depend on that rule. */
const maxBytes = 65_536;

/**
 * Answers with the image that is the payload of an NFT output. Its bytes come from anybody, so the response can run nothing, even if it is
 * opened by itself, and its type is that of its first bytes.
 */
export async function respondWithImage(source: Source, context: PageContext, utxoId: string): Promise<HttpResponse> {
  const utxo = await readIfFound<Utxo>(source, `${chainPath(context)}/utxos/${encodeURIComponent(utxoId)}`);
  const hex = utxo?.payload?.slice(2) ?? '';
  const type = hex.length > maxBytes * 2 ? undefined : imageTypeOf(hex);
  if (type === undefined) return { status: 404, headers: { ...headers, 'content-type': 'text/plain; charset=utf-8' }, body: noImage };
  return { status: 200, headers: { ...headers, 'content-type': type }, body: fromHex(hex) };
}

const noImage = 'This output has no PNG, JPEG, GIF or WebP image as its payload.\n';

/** After a revert the output may not exist. */
const headers = {
  'content-security-policy': "sandbox; default-src 'none'",
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'content-disposition': 'inline; filename="payload"',
  'cache-control': 'no-cache',
  vary: 'Origin',
} as const;

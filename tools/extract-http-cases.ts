/**
 * Extracts the cases of vectors/errors.json that can be checked without a chain into vectors/http-cases.json: `bun tools/extract-http-cases.ts`.
 * A case that a method of the chain answered keeps only its request and status: the test checks that the method was reached.
 */
import { readFileSync, writeFileSync } from 'node:fs';

type HttpCase = { name: string; category: string; body?: string; responseHeaders: Record<string, string>; responseBody?: string };

const vectorUrl = (name: string) => new URL(`../vectors/${name}`, import.meta.url);

const categories = new Set(['envelope', 'http', 'params', 'ids', 'addresses', 'issueTx encoding']);

const needsNoChain = ({ body = '', responseHeaders, responseBody }: HttpCase): boolean =>
  responseHeaders['x-content-type-options'] === undefined ||
  responseBody === '' ||
  /404 page|invalid host/.test(responseBody ?? '') ||
  /avm\.get(?:TxFee|Height|BlockByHeight)/i.test(body);

const all: HttpCase[] = JSON.parse(readFileSync(vectorUrl('errors.json'), 'utf8'));
const cases = all
  .filter(({ category }) => categories.has(category))
  .map((one) => {
    if (needsNoChain(one)) return one;
    const { responseBody: _, responseHeaders, ...kept } = one;
    const { 'content-length': __, ...headers } = responseHeaders;
    return { ...kept, responseHeaders: headers };
  });

const origin = 'AvalancheGo v1.14.2, captured: taken from errors.json by tools/extract-http-cases.ts';
writeFileSync(
  vectorUrl('http-cases.json'),
  `{"origin":${JSON.stringify(origin)},"cases":[\n${cases.map((one) => JSON.stringify(one)).join(',\n')}\n]}\n`,
);

/**
 * Takes out of vectors/errors.json what can be checked without a chain: `bun tools/extract-http-cases.ts`.
 * A case that a method of the chain answered keeps its request and its status only: that the method was reached is the point.
 */
import { readFileSync, writeFileSync } from 'node:fs';

type Case = { name: string; category: string; body?: string; responseHeaders: Record<string, string>; responseBody?: string };

const at = (name: string) => new URL(`../vectors/${name}`, import.meta.url);

const categories = new Set(['envelope', 'http', 'params', 'ids', 'addresses', 'issueTx encoding']);

const needsNoChain = ({ body = '', responseHeaders, responseBody }: Case): boolean =>
  responseHeaders['x-content-type-options'] === undefined ||
  responseBody === '' ||
  /404 page|invalid host/.test(responseBody ?? '') ||
  /avm\.get(?:TxFee|Height|BlockByHeight)/i.test(body);

const all: Case[] = JSON.parse(readFileSync(at('errors.json'), 'utf8'));
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
  at('http-cases.json'),
  `{"origin":${JSON.stringify(origin)},"cases":[\n${cases.map((one) => JSON.stringify(one)).join(',\n')}\n]}\n`,
);

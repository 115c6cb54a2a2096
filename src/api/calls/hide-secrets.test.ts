import { expect, test } from 'bun:test';
import { hideInQuery, hideInText, hideSecrets, hideValues } from './hide-secrets.ts';

const key = 'PrivateKey-ewoqjP7PxY4yr3iLTpLisriqt94hdyDFNgchSxGGztUrTXtNN';
const shown = (value: unknown): unknown => JSON.parse(hideSecrets(JSON.stringify(value))?.text ?? 'null');

test('values of secret fields are hidden at any depth and however the name is written', () => {
  expect(
    shown({
      params: { privateKey: '0x1234567890', nested: [{ Private_Key: 'abc', mnemonic: ['test', 'test'], password: { a: 1 } }] },
      headers: { 'X-Service-API-Key': 'k', Authorization: 'Bearer abc' },
      pageToken: 'shown',
      secret: null,
    }),
  ).toEqual({
    params: { privateKey: '(hidden)', nested: [{ Private_Key: '(hidden)', mnemonic: '(hidden)', password: '(hidden)' }] },
    headers: { 'X-Service-API-Key': '(hidden)', Authorization: '(hidden)' },
    pageToken: 'shown',
    secret: null,
  });
  // A name may be written with escapes.
  expect(hideSecrets('{"priv\\u0061teKey":"abcdefghij"}')?.text).toBe('{"priv\\u0061teKey":"(hidden)"}');
});

test('private keys are hidden wherever they stand, and credentials in URLs', () => {
  expect(shown([key, { [key]: `use ${key}!` }])).toEqual(['PrivateKey-(hidden)', { 'PrivateKey-(hidden)': 'use PrivateKey-(hidden)!' }]);
  expect(shown({ at: 'http://user:pass@host/a?token=abc&b=1' })).toEqual({ at: 'http://(hidden)@host/a?token=(hidden)&b=1' });
  expect(shown({ url: 'https://hooks.example.org/services/T0/B0/xyz' })).toEqual({ url: 'https://hooks.example.org/(hidden)' });
  expect(shown({ url: 'http://127.0.0.1:9650/' })).toEqual({ url: 'http://127.0.0.1:9650/' });
  expect(hideInQuery('apiKey=abc&pageSize=10&access%5Ftoken=x')).toBe('apiKey=(hidden)&pageSize=10&access%5Ftoken=(hidden)');
  expect(hideInText(`/address/${key}`)).toBe('/address/PrivateKey-(hidden)');
});

test('all else stays as it was sent, numbers above 2^53 too; hidden values are named, so that an answer that repeats one hides it', () => {
  const json = '{"a":18446744073709551615,"b":"\\u202e","c":[1.0,-0,true,null],"d":{}}';
  expect(hideSecrets(json)).toEqual({ text: json, hidden: 0, values: [] });
  const { values = [], hidden } = hideSecrets('{"mnemonic":"abandon ability able"}') ?? {};
  expect(hidden).toBe(1);
  expect(hideValues('bad mnemonic "abandon ability able"', values)).toBe('bad mnemonic "(hidden)"');
});

test('what is not JSON is not shown', () => {
  for (const text of ['', 'privateKey=abc', '{"privateKey":"abc"', '{"a":1} x']) expect(hideSecrets(text)).toBeUndefined();
});

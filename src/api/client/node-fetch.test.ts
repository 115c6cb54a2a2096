import { expect, test } from 'bun:test';
import { isLoopbackUrl } from './node-fetch.ts';

test('all names and addresses of this machine count as such, and no others', () => {
  const local = ['127.0.0.1:9650', 'localhost', 'LOCALHOST:1', 'a.localhost', 'localhost.', '127.1', '0x7f000001', '[::1]:9650', '[::]'];
  for (const host of [...local, '0.0.0.0:9650', '[0:0:0:0:0:0:0:1]', '[::ffff:127.8.9.1]', 'user:word@127.0.0.1'])
    expect([host, isLoopbackUrl(`http://${host}/ext/info`)]).toEqual([host, true]);
  for (const host of ['10.0.0.1', 'localhost.example', 'notlocalhost', '127.example', '[::2]', '[::ffff:10.0.0.1]', '127.0.0.1@a.example'])
    expect([host, isLoopbackUrl(`http://${host}/`)]).toEqual([host, false]);
  expect(isLoopbackUrl('127.0.0.1')).toBe(false);
});

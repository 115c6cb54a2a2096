import { expect, test } from 'bun:test';
import { respondWithImage } from './payload-image.ts';
import { createTestSource, testContext } from './test-source.fixture.ts';

const respond = (payload: string | undefined) => respondWithImage(createTestSource(() => payload && { payload }).source, testContext, 'u1');

test('a payload that is an image is sent as one, by its first bytes, and can run nothing', async () => {
  const png = '0x89504e470d0a1a0a0000';
  const { status, headers, body } = await respond(png);
  expect([status, headers['content-type'], Buffer.from(body as Uint8Array).toString('hex')]).toEqual([200, 'image/png', png.slice(2)]);
  expect(headers).toMatchObject({ 'content-security-policy': "sandbox; default-src 'none'", 'x-content-type-options': 'nosniff' });
});

test('another payload, one that is too long and an unknown output are 404', async () => {
  const long = `0x89504e470d0a1a0a${'00'.repeat(65_536)}`;
  for (const payload of ['0x3c7376673e', long, undefined]) {
    const { status, headers, body } = await respond(payload);
    expect([status, headers['content-type'], body]).toEqual([404, 'text/plain; charset=utf-8', expect.stringContaining('no PNG')]);
  }
});

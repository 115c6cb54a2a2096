import { describe, expect, it } from 'bun:test';
import { isIP } from 'node:net';
import fc from 'fast-check';
import { ipVersion } from './runtime-modules.ts';

describe('ipVersion', () => {
  const texts = ['', '0.0.0.0', '127.0.0.1', '255.255.255.255', '256.1.1.1', '01.1.1.1', '1.1.1', '1.1.1.1.', '1.1.1.1.1', ' 1.1.1.1']
    .concat([
      '1.1.1.1\n',
      '1..1.1',
      '::',
      '::1',
      '::ffff:127.0.0.1',
      'fe80::1%eth0',
      '1:2:3:4:5:6:7:8:9',
      'localhost',
      '１.1.1.1',
      '1.1.1.1:80',
    ])
    .map((text) => [text] as const);

  it.each(texts)('is that of node:net for %j', (text) => {
    expect(ipVersion(text)).toBe(isIP(text) as 0 | 4 | 6);
  });

  it('is that of node:net for generated text', () => {
    const part = fc.oneof(fc.integer({ min: 0, max: 300 }).map(String), fc.constantFrom('', '00', '010', '-1', '1e1', 'a', ' 1'));
    const dotted = fc.array(part, { minLength: 3, maxLength: 5 }).map((parts) => parts.join('.'));
    fc.assert(
      fc.property(fc.oneof(dotted, fc.ipV4(), fc.ipV6(), fc.string()), (text) => ipVersion(text) === isIP(text)),
      { numRuns: 2000 },
    );
  });
});

import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCertificates } from '../../../../test/certificates.ts';
import { freePort } from '../../../../test/processes.ts';
import { redisBinary, startRedis } from '../../../../test/redis.ts';
import { Fault, messageOf } from '../../../base/fault.ts';
import { openRedis } from './redis.ts';

const secret = 'p@ss/w:o?r#d%&=';
const hasTls = Bun.which('openssl') !== null;
const folder = mkdtempSync(join(tmpdir(), 'serac-redis-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The database number that a connection uses, `unreachable`, or the code and message of its refusal. */
async function ask(url: string): Promise<string> {
  try {
    const redis = await openRedis(url, { commandTimeout: 30_000, connectTimeout: 30_000 });
    const info = redis.isConnected() ? String(await redis.send('CLIENT', ['INFO'])) : '';
    redis.close();
    return / user=(\w+).*/.test(info) ? `db ${/ db=(\d+)/.exec(info)?.[1]} as ${/ user=(\w+)/.exec(info)?.[1]}` : 'unreachable';
  } catch (error) {
    return `${error instanceof Fault ? error.fault.code : ''} ${messageOf(error)}`;
  }
}

const portOf = (url: string) => new URL(url).port;

describe.skipIf(redisBinary === undefined)('Redis', () => {
  test('with users, passwords of any characters and database numbers', async () => {
    const server = await startRedis(['--requirepass', secret, '--user', 'reader', 'on', '>geheim', '~*', '&*', '+@all']);
    const at = `127.0.0.1:${portOf(server?.url as string)}`;
    try {
      expect(await ask(`redis://:${encodeURIComponent(secret)}@${at}`)).toBe('db 0 as default');
      expect(await ask(`redis://reader:geheim@${at}/5`)).toBe('db 5 as reader');
      expect(await ask(`redis://:wrong@${at}`)).toBe('unreachable');
    } finally {
      await server?.kill();
    }
  });

  test.skipIf(!hasTls)('with TLS, whose certificate is verified', async () => {
    createCertificates(folder);
    const tlsPort = freePort();
    const file = (name: string) => join(folder, name);
    const server = await startRedis(
      ['--tls-port', String(tlsPort), '--tls-cert-file', file('server.pem'), '--tls-key-file', file('server.key')].concat([
        '--tls-ca-cert-file',
        file('ca.pem'),
        '--tls-auth-clients',
        'no',
      ]),
    );
    try {
      const via = (host: string, ca: string | undefined) =>
        ask(`rediss://${host}:${tlsPort}/2${ca === undefined ? '' : `?cacert=${file(ca)}`}`);
      expect(await via('localhost', 'ca.pem')).toBe('db 2 as default');
      expect(await via('127.0.0.1', 'ca.pem')).toBe('unreachable');
      expect(await via('localhost', 'other-ca.pem')).toBe('unreachable');
      expect(await via('localhost', undefined)).toBe('unreachable');
    } finally {
      await server?.kill();
    }
  });

  test('as a Sentinel or a cluster is refused with what to do instead', async () => {
    const config = join(folder, 'sentinel.conf');
    writeFileSync(config, 'protected-mode no\n');
    const sentinel = await startRedis([], config);
    // Its second port would be 10,000 above the first one, which may be too much.
    const ports = ['--cluster-port', String(freePort())];
    const cluster = await startRedis(['--cluster-enabled', 'yes', '--cluster-config-file', join(folder, 'nodes'), ...ports]);
    try {
      expect(await ask(sentinel?.url as string)).toMatch(/^REDIS_UNSUPPORTED .*is a Sentinel.*give --cache-url/);
      expect(await ask(cluster?.url as string)).toMatch(/^REDIS_UNSUPPORTED .*Redis Cluster.*give --cache-url/);
    } finally {
      await sentinel?.kill();
      await cluster?.kill();
    }
  });
});

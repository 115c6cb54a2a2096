import { expect, test } from 'bun:test';
import { type Config, configFrom } from './config.ts';
import { parseFlags } from './flags.ts';

function config(...argv: string[]): Config {
  const parsed = parseFlags(argv, {});
  if (parsed.kind !== 'run') throw new Error(JSON.stringify(parsed));
  return configFrom(parsed.options);
}

test('the state is on disk with --data-dir, unless --db-type is memdb', () => {
  expect(config('--data-dir=/d')).toMatchObject({ store: 'sqlite', dataDir: '/d', identity: { dataDir: '/d' } });
  expect(config('--data-dir=/d', '--db-type=memdb')).toMatchObject({ store: 'memory', dataDir: '/d' });
  expect(config('--db-type=memdb')).toMatchObject({ store: 'memory', dataDir: undefined });
});

test('the source of the genesis: --genesis-file-content takes precedence over --genesis-file', () => {
  expect(config('--network-id=7').genesis).toEqual({ kind: 'network' });
  expect(config('--network-id=7', '--genesis-file=g').genesis).toEqual({ kind: 'file', path: 'g' });
  expect(config('--network-id=7', '--genesis-file=g', '--genesis-file-content=e30=').genesis).toEqual({ kind: 'content', base64: 'e30=' });
});

test('an empty host means all network interfaces', () => expect(config('--http-host=').http.host).toBe('0.0.0.0'));

test('the form of the banner and the log level', () => {
  expect(config('--json').banner).toBe('json');
  expect(config('--json', '--silent').banner).toBe('none');
  expect(config('--log-level=debug').logLevel).toBe('debug');
  expect(config('--log-level=debug', '--log-display-level=ERROR').logLevel).toBe('error');
});

test('every flag sets its field of the configuration', () => {
  const got = config(
    ...'--http-host=h --http-port=1 --http-idle-timeout=2s --http-shutdown-wait=3s --http-shutdown-timeout=4s'.split(' '),
    ...'--api-info-enabled=false --api-health-enabled=false --api-metrics-enabled=false --public-api --strict --chains=c --workers=auto'.split(
      ' ',
    ),
    ...'--public-ip=1.2.3.4 --staking-port=5 --min-block-delay=6s --health-check-frequency=7s'.split(' '),
    ...'--system-tracker-disk-required-available-space-percentage=8 --system-tracker-disk-warning-available-space-percentage=9'.split(' '),
    ...'--staking-tls-cert-file=a --staking-tls-key-file=b --staking-signer-key-file=e --staking-ephemeral-cert-enabled'.split(' '),
  );
  expect(got).toMatchObject({
    http: { host: 'h', port: 1, idleTimeout: 2000, shutdownWait: 3000, shutdownTimeout: 4000 },
    apis: { info: false, health: false, metrics: false },
    publicApi: true,
    strict: true,
    chainsFile: 'c',
    peerAddress: { publicIP: '1.2.3.4', port: 5 },
    minBlockDelay: 6000,
    healthCheckFrequency: 7000,
    disk: { required: 8, warning: 9 },
    identity: { tlsCertFile: 'a', tlsKeyFile: 'b', signerKeyFile: 'e', ephemeralCert: true, ephemeralSigner: false },
  });
});

test('rate limits are on if the server can be reached from other machines, also through a proxy', () => {
  const limited = (...argv: string[]) => config(...argv).access.rateLimits;
  expect([limited(), limited('--http-host=localhost'), limited('--http-host=0.0.0.0'), limited('--http-host=')]).toEqual([
    false,
    false,
    true,
    true,
  ]);
  expect(limited('--trusted-proxies=127.0.0.1')).toBe(true);
  expect(limited('--trusted-proxies=127.0.0.1', '--rate-limits=off')).toBe(false);
  expect(limited('--rate-limits=on')).toBe(true);
});

test('only a chain that this node decides alone, on disk and not forked, has reader processes', () => {
  const workersOf = (command: Parameters<typeof configFrom>[1], ...args: string[]) => {
    const parsed = parseFlags(args, { home: '/', vars: {} });
    return parsed.kind === 'run' ? configFrom(parsed.options, command).workers : parsed.kind;
  };
  expect(workersOf({ name: 'dev', args: [] }, '--data-dir=d')).toBe('auto');
  expect(workersOf({ name: 'dev', args: [] }, '--data-dir=d', '--workers=3')).toBe(3);
  expect(workersOf({ name: 'dev', args: [] }, '--data-dir=d', '--db-type=memdb')).toBe(0);
  expect(workersOf({ name: 'dev', args: [] }, '--data-dir=d', '--fork-url=http://h')).toBe(0);
  expect(workersOf({ name: 'follow', args: ['http://h'] }, '--data-dir=d')).toBe(0);
  expect(workersOf({ name: 'join', args: [] }, '--data-dir=d')).toBe(0);
});

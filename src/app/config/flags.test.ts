import { describe, expect, test } from 'bun:test';
import { ignoredSwitches, ignoredValues, unsupportedFlags } from './avalanchego-flags.ts';
import { commandGroups, commandNames, isCommand } from './command.ts';
import { formatUsage } from './command-arguments.ts';
import { commandSynonyms } from './command-synonyms.ts';
import { configFrom } from './config.ts';
import { findNearestFlag } from './flag-source.ts';
import { acceptsFlag, flagAliases, flagTable } from './flag-table.ts';
import { parseDuration } from './flag-value.ts';
import { parseFlags } from './flags.ts';
import { errorMessage, options, warnings } from './parse-flags.fixture.ts';

describe('flags and their values', () => {
  test('-v may be repeated, as with Anvil', () => {
    for (const flag of ['-v', '-vv', '-vvvv']) expect(options([flag]).verbose).toBe(true);
    expect(errorMessage(['-vx'])).toContain('unknown flag -vx');
  });

  test('without flags: local network, in memory, on loopback', () => {
    const config = configFrom(options([]));
    expect(config.network.id).toBe(12345);
    expect(config.store).toBe('memory');
    expect(config.http).toMatchObject({ host: '127.0.0.1', port: 9650, allowedHosts: ['localhost'], allowedOrigins: ['*'] });
    expect([config.strict, config.publicApi, config.banner, config.workers]).toEqual([false, false, 'text', 0]);
    expect([config.healthCheckFrequency, config.minBlockDelay]).toEqual([30_000, 0]);
    expect(config.mode).toEqual({ kind: 'solo' });
    expect(warnings([])).toEqual([]);
  });

  test('a value follows an equals sign, or is the next argument, unless that is another flag', () => {
    expect(options(['--http-port=0', '--http-host', '::1'])['http-port']).toBe(0);
    expect(errorMessage(['--data-network-name', '--strict'])).toContain('--data-network-name needs a value, but --strict follows');
    expect(errorMessage(['--trusted-proxies', '--rate-limits=off'])).toContain('--trusted-proxies needs a value, but --rate-limits=off');
    expect(options(['--data-network-name=--strict'])).toMatchObject({ 'data-network-name': '--strict', strict: false });
    expect(options(['--data-network-name', '--x'])['data-network-name']).toBe('--x');
    expect(options(['--data-network-name=a=b'])['data-network-name']).toBe('a=b');
  });

  test('a choice of on and off is on if another flag or nothing follows', () => {
    const both = options(['--rate-limits', '--trusted-proxies', '10.0.0.1']);
    expect([both['rate-limits'], both['trusted-proxies']]).toEqual(['on', ['10.0.0.1']]);
    expect(options(['--trusted-proxies', '10.0.0.1', '--rate-limits'])['rate-limits']).toBe('on');
    expect(options(['--rate-limits', 'off', '--strict'])).toMatchObject({ 'rate-limits': 'off', strict: true });
  });

  test('a switch takes a value only after an equals sign', () => {
    expect(options(['--strict']).strict).toBe(true);
    expect(options(['--strict=false']).strict).toBe(false);
    expect(options(['--strict', '--api-info-enabled=F']).strict).toBe(true);
    const unexpected = 'unexpected argument "false"; a command comes first, and a switch takes its value';
    expect(errorMessage(['--strict', 'false'])).toContain(unexpected);
    expect(errorMessage(['--strict=yes'])).toBe('--strict: "yes" is not allowed; it takes true or false');
  });

  test('a repeated flag replaces the earlier one; a repeated list is appended', () => {
    expect(options(['--http-port', '1', '--http-port=2'])['http-port']).toBe(2);
    expect(options(['--http-allowed-hosts=a,b', '--http-allowed-hosts', 'c'])['http-allowed-hosts']).toEqual(['a', 'b', 'c']);
    expect(options(['--http-allowed-origins', 'https://a.b https://c.d'])['http-allowed-origins']).toEqual(['https://a.b', 'https://c.d']);
  });

  test('networks are given by name or ID', () => {
    for (const [text, id] of [
      ['local', 12345],
      ['Fuji', 5],
      ['testnet', 5],
      ['mainnet', 1],
      ['network-7', 7],
      ['4294967295', 2 ** 32 - 1],
    ] as const)
      expect(options(['--network-id', text])['network-id']).toBe(id);
    for (const text of ['', 'nowhere', '4294967296', '-1', 'network-'])
      expect(errorMessage([`--network-id=${text}`])).toContain('local, fuji, mainnet or a number');
  });

  test('durations are read as in Go', () => {
    for (const [text, ms] of [
      ['30s', 30_000],
      ['1h15m30.5s', 4_530_500],
      ['0', 0],
      ['1.5ms', 1.5],
      ['2us', 0.002],
      ['.5s', 500],
      ['0s', 0],
    ] as const)
      expect(parseDuration(text)).toBeCloseTo(ms, 9);
    for (const text of ['', '30', 's', '-1s', '1 s', '1d', '1s2', '9999999999h']) expect(parseDuration(text)).toBeUndefined();
  });

  test('fees are 64-bit numbers without rounding', () =>
    expect(options(['--tx-fee', '18446744073709551615'])['tx-fee']).toBe(2n ** 64n - 1n));

  test('~ and variables in paths are expanded', () => {
    const env = { home: '/home/a', vars: { PLACE: '/b' } };
    expect(options(['--data-dir', '~/x'], env)['data-dir']).toBe('/home/a/x');
    expect(options(['--data-dir', '~\\x'], { ...env, home: 'C:\\Users\\a' })['data-dir']).toBe('C:\\Users\\a\\x');
    expect(options(['--data-dir', '$HOME/x'], env)['data-dir']).toBe('/home/a/x');
    const both = options(['--data-dir', `${'$'}{PLACE}/x`, '--staking-tls-key-file', '$AVALANCHEGO_DATA_DIR/k'], env);
    expect([both['data-dir'], both['staking-tls-key-file']]).toEqual(['/b/x', '/b/x/k']);
    // As for createNode, whose paths come from a program.
    expect(options(['--data-dir=~/$PLACE'], { home: '/home/a' })['data-dir']).toBe('/home/a/$PLACE');
  });
});

describe('commands', () => {
  const command = (argv: string[]) => {
    const parsed = parseFlags(argv, {});
    return parsed.kind === 'run' ? parsed.command : parsed;
  };
  test('dev is the default; arguments of a command may stand before or between flags', () => {
    expect(command(['--strict'])).toEqual({ name: 'dev', args: [] });
    expect(command(['run', '--url=http://a', 'x.ts', '1', '--strict'])).toEqual({ name: 'run', args: ['x.ts', '1', '--strict'] });
    expect(command(['follow', 'http://a', '--strict'])).toEqual({ name: 'follow', args: ['http://a'] });
    expect(command(['follow', '--strict', 'http://a'])).toEqual({ name: 'follow', args: ['http://a'] });
    expect(command(['keys', 'revoke', '--data-dir', '/d', 'k1'])).toEqual({ name: 'keys', args: ['revoke', 'k1'] });
  });
  test('an environment variable for another command is not an error', () =>
    expect(parseFlags([], { vars: { SERAC_DATABASE_URL: 'postgres://h/d' } }).kind).toBe('run'));
});

describe('errors name the flag, the value and what is allowed', () => {
  const cases: [argv: string[], message: string][] = [
    [['--http-port', '65536'], '--http-port: "65536" is not allowed; it takes a whole number from 0 to 65535'],
    [['--http-port', '0x10'], '--http-port: "0x10"'],
    [['--http-port'], '--http-port needs a value'],
    [['--log-level', 'loud'], 'one of off, fatal, error, warn, info, trace, debug, verbo'],
    [['--health-check-frequency', '30'], 'a duration such as 500ms, 30s or 1h15m'],
    [['--health-check-frequency', '0s'], 'must be longer than 0s'],
    [['--tx-fee', '18446744073709551616'], 'a whole number up to 18446744073709551615'],
    [['--accounts', '501'], 'a whole number from 0 to 500'],
    [['-a', 'x'], '--accounts: "x" is not allowed'],
    [['-accounts', '1'], 'unknown flag -accounts; did you mean --accounts'],
    [['--balance', '-1'], 'an amount of AVAX, such as 10000 or 0.5'],
    [['--balance', '0.0000000001'], 'an amount of AVAX'],
    [['--balance', '0'], 'must be more than 0'],
    [['--balance', '1000000001'], 'more than 10,000,000,000 AVAX together'],
    [['--derivation-path', '44/0'], 'is not a derivation path'],
    [['follow', 'http://a', '--accounts=3'], '--accounts belongs to serac dev'],
    [['--workers', 'many'], 'auto or a whole number from 0 to 256'],
    [['--workers', '2'], 'give --data-dir'],
    [['--supervise'], 'give --data-dir'],
    [['--supervise', '--data-dir', '/d', '--db-type', 'memdb'], 'give --data-dir'],
    [['--workers', '2', '--data-dir', '/d', '--db-type', 'memdb'], 'give --data-dir'],
    [['--db-type', 'sqlite'], 'needs a directory; give one with --data-dir'],
    [['--db-type', 'oracle'], 'one of sqlite, memdb, leveldb, pebbledb'],
    [['--genesis-file', 'g.json'], 'overrides standard network genesis config: local'],
    [['--network-id=1', '--genesis-file-content', 'e30='], 'overrides standard network genesis config: mainnet'],
    [['--system-tracker-disk-warning-available-space-percentage=51'], 'from 0 to 50'],
    [['--system-tracker-disk-warning-available-space-percentage=2'], '2 < 3'],
    [['--staking-tls-key-file-content=a'], 'needs --staking-tls-cert-file-content too'],
    [['--staking-ephemeral-signer-enabled', '--staking-signer-key-file=a'], 'only one of these can be set'],
    [['--http-tls-enabled'], '--http-tls-enabled: Serac serves plain HTTP'],
    [['--http-read-header-timeout=30s'], "--http-read-header-timeout: Bun's HTTP server gives a caller 10 to 12 seconds"],
    [['--http-idle-timeout=5m'], '--http-idle-timeout: "5m" is not allowed; it takes a duration such as 500ms, 30s or 1h15m, at most 255s'],
    [['--http-idle-timeout=255001ms'], 'at most 255s'],
    [['--staking-host', '0.0.0.0'], '--staking-host belongs to serac join, serac testnet'],
    [['--public-ip=here'], '--public-ip: "here" is not allowed; it takes an IP address'],
    [['--data-dir='], '--data-dir: "" is not allowed'],
    [['devv'], 'unknown command "devv"; did you mean serac dev?'],
    [['mint'], 'unknown command "mint"; did you mean serac asset mint or serac nft mint?'],
    [['Claim'], 'did you mean serac import or serac rpc dev.claimExport?'],
    [['wipe'], 'did you mean serac reset or serac snapshot revert?'],
    [['ping'], 'did you mean serac doctor or serac status?'],
    [['start'], 'did you mean serac dev?'],
    [['constructor'], 'unknown command "constructor"; serac help commands lists all'],
    [['-5'], '"-5" is negative, which no argument is; usage: serac'],
    [['mine', '-5'], '"-5" is negative, which no argument is; usage: serac mine [BLOCKS]\n       for example: serac mine'],
    [['send', 'X-local1a', '-.5'], '"-.5" is negative'],
    [['asset'], 'serac asset is followed by one of create, mint, show, list'],
    [['asset', 'burn'], 'serac asset is followed by one of create, mint, show, list'],
    [['send', 'X-local1a'], 'usage: serac send ADDRESS AMOUNT'],
    [['send', 'X-local1a', '5', '--strict'], '--strict belongs to commands that run a node'],
    [['--from', '2'], '--from belongs to serac send'],
    [['completions', 'csh'], '"csh" is not one of bash, zsh, fish'],
    [['follow'], 'usage: serac follow URL'],
    [['follow', 'http://a', 'http://b'], 'unexpected argument "http://b"'],
    [['keys', 'make', '--data-dir', '/d'], '"make" is not one of create, list, revoke; usage: serac keys create|list|revoke [ID]'],
    [['keys', 'list'], 'serac keys needs --data-dir DIR or --database-url'],
    [['--plan', 'pro'], '--plan belongs to serac keys'],
    [['--database-url', 'postgres://h/d'], '--database-url belongs to serac index, serac api, serac keys'],
    [['api'], 'serac api needs PostgreSQL: --database-url'],
    [['index', 'http://a', '--database-url', 'mysql://h/d'], '--database-url: not a PostgreSQL URL: it must begin with postgres://'],
    [['api', '--database-url', 'postgres://h/d', '--cache-url', 'redis-sentinel://h'], 'Redis Sentinel and Cluster are not supported'],
    [
      ['api', '--database-url', 'postgres://h/d', '--cache-url', 'redis://:a,b@h:1,h:2/0'],
      'needs one host in --cache-url: several are those of',
    ],
    [['api', '--database-url', 'postgres://h/d', '--cache-url', 'redis://:a,b@h:x'], 'needs a URL of Redis or Valkey as --cache-url'],
    [['api', '--database-url', 'postgres://h/d?sslmode=on'], 'sslmode must be one of disable, prefer'],
    [['api', '--database-url', 'postgres://h/d', '--database-pool-size', '0'], 'a --database-pool-size above 0'],
    [['api', '--database-url', 'here'], '--database-url: "here" is not allowed; it takes a URL'],
    [['reindex'], 'serac reindex needs --data-dir'],
    [['backup', '/tmp/copy'], 'serac backup needs --data-dir'],
    [['compact'], 'serac compact needs --data-dir'],
    [['--trusted-proxies=10.0.0.1,proxy'], '"proxy" is not an IP address (10.0.0.1) or a range'],
    [['--'], 'unexpected argument "--"'],
  ];
  for (const [argv, message] of cases) test(argv.join(' '), () => expect(errorMessage(argv)).toContain(message));

  test('an unknown flag: the message suggests the most similar one', () => {
    for (const [typed, nearest] of [
      ['htp-port', 'http-port'],
      ['datadir', 'data-dir'],
      ['stict', 'strict'],
      ['network', 'network-id'],
    ] as const)
      expect(errorMessage([`--${typed}=1`])).toContain(`unknown flag --${typed}; did you mean --${nearest}?`);
    for (const [argv, nearest] of [
      [['send', 'A', '5', '--form', '2'], 'from'],
      [['send', 'A', '5', '--aset', 'GLD'], 'asset'],
      [['keys', 'create', '--nam', 'x'], 'name'],
      [['logs', '--folow'], 'follow'],
      [['join', '--boostrap-ip', 'x'], 'bootstrap-ips'],
    ] as const)
      expect(errorMessage([...argv])).toContain(`did you mean --${nearest}? (serac help `);
    // A flag of another command would be refused as well.
    for (const argv of [['balance', '--account', '1'], ['nft', 'list', '--group', '2'], ['--toString=1']])
      expect(errorMessage(argv)).toMatch(/^unknown flag --\w+; serac help [a-z ]+ lists all flags; usage: serac/);
    expect(errorMessage(['balance', '--account', '1'])).toContain('for example: serac balance 1');
    expect(errorMessage(['-x', '1'])).toContain('unknown flag -x');
    expect(findNearestFlag('x'.repeat(100_000), 'dev')).toBeUndefined();
  });
});

describe('AvalancheGo flags without effect in Serac', () => {
  test('one warning names them all, and their values are ignored', () => {
    const argv = ['--snow-sample-size', '1', '--index-enabled', '--sybil-protection-enabled=false', '--bootstrap-ips', '', '--strict'];
    expect(warnings(argv)).toEqual([
      'AvalancheGo flags without effect in Serac: --snow-sample-size, --index-enabled, --sybil-protection-enabled, --bootstrap-ips',
    ]);
    expect(options(argv).strict).toBe(true);
  });

  test('every flag is in exactly one list', () => {
    const all = [
      ...Object.keys(flagTable),
      ...Object.keys(flagAliases),
      ...Object.keys(unsupportedFlags),
      ...ignoredSwitches,
      ...ignoredValues,
    ];
    expect(new Set(all).size).toBe(all.length);
  });

  test('an unsupported switch that is off is accepted', () =>
    expect(warnings(['--http-tls-enabled=false', '--db-read-only=false'])).toEqual([]));

  test('fees of a public network cannot be changed', () => {
    expect(warnings(['--network-id=fuji', '--tx-fee=1'])).toEqual(['fees are fixed on fuji: --tx-fee has no effect']);
    expect(configFrom(options(['--network-id=fuji', '--tx-fee=1'])).network.fees).toEqual({
      txFee: 1_000_000n,
      createAssetTxFee: 10_000_000n,
    });
    expect(configFrom(options(['--network-id=7', '--tx-fee=1'])).network.fees).toEqual({ txFee: 1n, createAssetTxFee: 1_000_000n });
  });

  test('leveldb and pebbledb are treated as sqlite', () => {
    const argv = ['--db-type', 'leveldb', '--data-dir', '/d'];
    expect(warnings(argv)).toEqual(['--db-type leveldb is treated as sqlite']);
    expect(configFrom(options(argv)).store).toBe('sqlite');
  });

  test("AvalancheGo's name of the block delay", () => {
    expect(options(['--proposervm-min-block-delay=2s'])['min-block-delay']).toBe(2000);
    expect(options(['--proposervm-min-block-delay=2s', '--min-block-delay=3s'])['min-block-delay']).toBe(3000);
  });
});

describe('help and version', () => {
  const helpText = (...argv: string[]): string => {
    const parsed = parseFlags(argv, {});
    return parsed.kind === 'help' ? parsed.text : JSON.stringify(parsed);
  };

  test('the help of a command shows every flag that it accepts, examples first, within 80 columns', () => {
    const texts = commandNames.map((name) => [name, helpText(...name.split(' '), '--help')] as const);
    for (const [name, row] of Object.entries(flagTable))
      for (const [command, text] of texts)
        expect([command, name, new RegExp(`^  .*--${name}(?![\\w-])`, 'm').test(text)]).toEqual([command, name, acceptsFlag(command, row)]);
    for (const [, text] of [
      ...texts,
      ...[['-h'], ['help', 'commands'], ['help', 'flags']].map((argv) => ['', helpText(...argv)] as const),
    ]) {
      for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
      if (text.includes('Usage: serac send')) expect(text.indexOf('Examples')).toBeLessThan(text.indexOf('Usage'));
    }
  });

  test('--help fits a screen and names every command once', () => {
    const screen = helpText('--help');
    expect(screen.split('\n').length).toBeLessThanOrEqual(41);
    const rows = [...screen.matchAll(/^ {2}(\S.*?) {2}/gm)].map(([, left = '']) => left).filter((left) => !left.includes('--'));
    const named = rows.flatMap((left) => left.split(', ')).map((part) => part.split(' ')[0] as string);
    expect(named.sort()).toEqual(
      ['serac', ...new Set(commandNames.map((name) => name.split(' ')[0] as string).filter((name) => name !== 'dev'))].sort(),
    );
    expect([helpText('-h'), helpText('help'), helpText('--http-port=1', '--help')]).toEqual([screen, screen, screen]);
  });

  test('help commands and help flags list all', () => {
    for (const name of commandNames) expect(helpText('help', 'commands')).toContain(formatUsage(name));
    for (const name of Object.keys(flagTable)) expect(helpText('help', 'flags')).toMatch(new RegExp(`^  .*--${name}(?![\\w-])`, 'm'));
    expect(helpText('help', 'flags', 'x')).toContain('unknown command');
  });

  test('help COMMAND and COMMAND --help', () => {
    expect(helpText('help', 'send')).toBe(helpText('send', '--help'));
    expect(helpText('help', 'asset', 'mint')).toBe(helpText('asset', 'mint', '--help'));
    expect(helpText('help', 'nothing')).toContain('unknown command');
  });

  test('version', () => {
    expect(parseFlags(['--version'], {})).toEqual({ kind: 'version', json: false });
    expect(parseFlags(['--version-json'], {})).toEqual({ kind: 'version', json: true });
    expect(parseFlags(['--version=false'], {}).kind).toBe('run');
  });
});

describe('commands that read few flags', () => {
  test('check lists and accepts only those that it uses', () => {
    const text = (parseFlags(['help', 'check'], {}) as { text: string }).text;
    for (const flag of ['data-dir', 'network-id', 'genesis-file', 'chains', 'log-level', 'json']) expect(text).toContain(`--${flag}`);
    for (const flag of ['http-port', 'strict', 'staking-port', 'rate-limits', 'detach', 'cache-url'])
      expect(text).not.toContain(`--${flag}`);
    expect(errorMessage(['check', '--data-dir', 'x', '--http-port', '1'])).toContain('--http-port belongs to commands that run a node');
  });

  test('serac version prints the version, also as JSON', () => {
    expect(parseFlags(['version'], {})).toEqual({ kind: 'version', json: false });
    expect(parseFlags(['version', '--json'], {})).toEqual({ kind: 'version', json: true });
    expect(errorMessage(['version', '--strict'])).toContain('--strict belongs to');
  });

  test('commands about a node in the background need to know where it is', () => {
    for (const name of ['stop', 'status', 'logs']) {
      expect(errorMessage([name])).toContain(`serac ${name} needs the --data-dir DIR or --log-file FILE`);
      expect(options([name, '--log-file', '/x'])['log-file']).toBe('/x');
    }
  });
});

test('an error says whether it is to be printed as JSON', () => {
  const isJson = (argv: string[], vars = {}): unknown => (parseFlags(argv, { vars }) as { isJson?: boolean }).isJson;
  expect([isJson(['--nope']), isJson(['--nope', '--json']), isJson(['--json=false', '--nope'], { SERAC_JSON: 'true' })]).toEqual([
    false,
    true,
    false,
  ]);
  expect(isJson(['--nope'], { SERAC_JSON: 'true' })).toBe(true);
});

test('the synonyms of commands are no commands themselves, and what they suggest are commands', () => {
  for (const [word, suggestions] of Object.entries(commandSynonyms)) {
    expect([word, isCommand(word) || commandGroups.includes(word)]).toEqual([word, false]);
    for (const suggestion of suggestions) {
      const words = suggestion.split(' ');
      expect([suggestion, isCommand(words.slice(0, 2).join(' ')) || isCommand(words[0] as string)]).toEqual([suggestion, true]);
    }
  }
});

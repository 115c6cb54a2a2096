import { ok } from 'node:assert';
import { readFileSync } from 'node:fs';
import { parse as parseYaml } from 'yaml';
import { commandNames } from '../../src/app/config/command.ts';
import { configFrom } from '../../src/app/config/config.ts';
import { flagTable } from '../../src/app/config/flag-table.ts';
import { parseFlags } from '../../src/app/config/flags.ts';
import { parseChainsFile } from '../../src/avm/genesis/chains-file.ts';
import { loadNetworkGenesis } from '../../src/avm/genesis/network-genesis.ts';
import { parseUpgradeFile } from '../../src/avm/genesis/upgrade-file.ts';
import { getNetwork } from '../../src/avm/network.ts';
import { Fault } from '../../src/base/fault.ts';
import dag from '../../vectors/dag.json' with { type: 'json' };
import { type FuzzTarget, orRefused } from './target.ts';

/* Flags, variables and config files; files of genesis, upgrades and chains. */

const root = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

/** Lines: arguments, `$NAME=value` for variables; after an empty line the config file. */
const flagsTarget: FuzzTarget = {
  name: 'flags',
  testRounds: 60,
  seeds: () => [
    ...commandNames.map((name) => name.replace(' ', '\n')),
    'dev\n--http-port=0\n--block-time\n2\n$AVAGO_HTTP_HOST=::1\n--config-file=c.json\n\n{"http-port": 5, "data-dir": "/d", "http-allowed-hosts": ["a","b"], "unknown": null}',
    '--config-file=c.yaml\n\nhttp-port: 7\nchains: c\nstrict: true\n',
    `--config-file-content=${Buffer.from('{"network-id":"1337"}').toString('base64')}`,
    'join\n--network-id=1337\n--bootstrap-ips=10.0.0.1:9651\n--bootstrap-ids=NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg\n--data-dir=~/x',
    'index\n--database-url=postgres://a:b@h:5432/n?sslmode=require\n--redis-url=redis://h:1/0',
    ...Object.keys(flagTable)
      .filter((_, i) => i % 4 === 0)
      .map((name) => `--${name}=1`),
  ],
  words: [
    ...Object.keys(flagTable).map((name) => `--${name}=`),
    ...Object.keys(flagTable).map((name) => `$SERAC_${name.toUpperCase().replaceAll('-', '_')}=`),
    '\n',
    '$HOME',
    '1s',
    'true',
    '*&a',
    '"network-id":',
  ],
  maxCpu: 200,
  open: () => ({
    run: (input) => {
      const [head = '', file = ''] = Buffer.from(input)
        .toString('utf8')
        .split(/\n\n(.*)/s);
      const lines = head.split('\n');
      const vars = Object.fromEntries(
        lines.filter((line) => line.startsWith('$')).map((line) => line.slice(1).split(/=(.*)/s) as [string, string]),
      );
      const env = { home: '/home/u', vars, readFile: () => file, parseYaml: (text: string) => parseYaml(text) as unknown };
      const argv = lines.filter((line) => !line.startsWith('$'));
      const parsed = parseFlags(argv, env);
      // A value is repeated with its escapes.
      if (parsed.kind === 'error')
        ok(parsed.message !== '' && parsed.message.length < 20_000 + 6 * input.length, `message of ${parsed.message.length} characters`);
      if (parsed.kind === 'run') orRefused([Fault], () => configFrom(parsed.options, parsed.command, () => file));
    },
  }),
};

const [local, custom] = [getNetwork(12345), getNetwork(dag.genesis.networkID)];
const genesisEnv = {
  readData: (file: string) => readFileSync(new URL(`src/avm/genesis/data/${file}`, root)),
  unixSeconds: 1_900_000_000n,
};

const filesTarget: FuzzTarget = {
  name: 'config-files',
  seeds: () => [
    `0${JSON.stringify(JSON.parse(read('src/avm/genesis/data/local.json')))}`,
    `0${JSON.stringify(dag.genesis)}`,
    `1${read('examples/chains.json')}`,
    `2${JSON.stringify(dag.upgrades)}`,
  ],
  words: [
    '"allocations"',
    '"unlockSchedule"',
    '"initialState"',
    '"genesisData"',
    '"fixedCap"',
    '"variableCap"',
    '"encoding"',
    '"hexnc"',
    '"memo"',
    '[]',
    '{}',
    'null',
    '1970-01-01T00:00:00Z',
  ],
  maxCpu: 200,
  open: () => ({
    run: (input) => {
      const text = Buffer.from(input.subarray(1)).toString('utf8');
      const kind = (input[0] ?? 0) % 3;
      if (kind === 1) orRefused([Fault], () => parseChainsFile(text, local));
      else if (kind === 2) orRefused([Fault], () => parseUpgradeFile(text));
      else orRefused([Fault], () => loadNetworkGenesis(text.includes('9137') ? custom : local, text, genesisEnv));
    },
  }),
};

export const configTargets: readonly FuzzTarget[] = [flagsTarget, filesTarget];

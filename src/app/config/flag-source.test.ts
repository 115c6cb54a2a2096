import { describe, expect, test } from 'bun:test';
import { parse as parseYaml } from 'yaml';
import { errorMessage, options, warnings } from './parse-flags.fixture.ts';

describe('environment variables and config file', () => {
  test('precedence: flag, SERAC variable, AVAGO variable, config file, default', () => {
    const readFile = () => '{"http-port": 3, "http-host": "file", "staking-port": 4, "log-level": "WARN"}';
    const vars = { AVAGO_HTTP_HOST: 'avago', AVAGO_STAKING_PORT: '5', SERAC_STAKING_PORT: '6', AVAGO_LOG_LEVEL: '' };
    expect(options(['--http-port=1', '--config-file=c.json'], { vars, readFile })).toMatchObject({
      'http-port': 1,
      'http-host': 'avago',
      'staking-port': 6,
      'log-level': 'warn',
    });
  });

  test('what Kubernetes sets beside a service of the name serac is not a port', () =>
    expect(options([], { vars: { SERAC_PORT: 'tcp://10.0.0.1:9650' } })['http-port']).toBe(9650));

  test('a config file may hold numbers, booleans, lists and durations; unknown names give a warning', () => {
    const readFile = () =>
      '{"Http-Port":7,"strict":true,"http-allowed-hosts":["a","b"],"health-check-frequency":2000000000,"min-block-delay":"5s","snow-quorum-size":1,"nonsense":1}';
    const env = { readFile };
    expect(options(['--config-file', 'c'], env)).toMatchObject({
      'http-port': 7,
      strict: true,
      'http-allowed-hosts': ['a', 'b'],
      'health-check-frequency': 2000,
      'min-block-delay': 5000,
    });
    expect(warnings(['--config-file', 'c'], env)).toEqual([
      'config file: unknown keys without effect: nonsense',
      'AvalancheGo flags without effect in Serac: config file, snow-quorum-size',
    ]);
  });

  test('--config-file-content takes precedence over --config-file', () => {
    const content = Buffer.from('{"http-port":8}').toString('base64');
    expect(options([`--config-file-content=${content}`, '--config-file=c'])['http-port']).toBe(8);
    expect(errorMessage([`--config-file-content=${content}`, '--config-file-content-type=toml'])).toContain('one of json');
  });

  test('errors of a config file', () => {
    const read = (text: string) => errorMessage(['--config-file=c'], { readFile: () => text });
    expect(read('[]')).toContain('must be an object');
    expect(read('{')).toContain('must be a JSON object');
    expect(read('{"http-port":"x"}')).toBe('config file, http-port: "x" is not allowed; it takes a whole number from 0 to 65535');
    expect(read('{"tx-fee":18446744073709551615}')).toContain('write it as a string');
    expect(read('{"http-port":{}}')).toContain('http-port must be a string');
    const unreadable = () => {
      throw new Error('secret');
    };
    expect(errorMessage(['--config-file=c'], { readFile: unreadable })).toBe('--config-file: cannot read c');
    expect(errorMessage(['--config-file=c.toml'])).toContain('is TOML');
  });

  test('a config file may be YAML', () => {
    const readFile = () => 'http-port: 8\nhttp-allowed-hosts:\n  - a\n  - b\nstrict: true\n';
    expect(options(['--config-file=c.yaml'], { readFile, parseYaml })).toMatchObject({
      'http-port': 8,
      'http-allowed-hosts': ['a', 'b'],
      strict: true,
    });
    const content = Buffer.from('http-port: 9').toString('base64');
    const flags = [`--config-file-content=${content}`, '--config-file-content-type=yaml'];
    expect(options(flags, { parseYaml })['http-port']).toBe(9);
    expect(errorMessage(['--config-file=c.yml'], { readFile: () => 'a: [', parseYaml })).toContain('must be a YAML object');
  });

  test('the error of a bad value in a variable names the variable', () =>
    expect(errorMessage([], { vars: { SERAC_HTTP_PORT: 'x' } })).toStartWith('SERAC_HTTP_PORT: "x"'));

  test('help and version are read from the command line only', () => {
    expect(options([], { vars: { AVAGO_VERSION: '1.14.2', SERAC_HELP: 'true' } }).version).toBe(false);
  });
});

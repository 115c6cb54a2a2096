import { afterAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { programCommand, runProgram, startProgram } from './program.ts';

const folders: string[] = [];
const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'serac-'));
  folders.push(folder);
  return folder;
};
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

describe('the command line', () => {
  test('--help fits a screen of 40 lines, help flags lists the flags, --version prints the version', async () => {
    const screen = await runProgram('--help');
    expect([screen.code, screen.out.trimEnd().split('\n').length <= 40]).toEqual([0, true]);
    expect(screen.out).toEndWith('list all.\n');
    const flags = await runProgram('help', 'flags');
    expect(flags.code).toBe(0);
    for (const flag of ['--http-port', '--data-dir', '--network-id', '--strict', '--chains']) expect(flags.out).toContain(flag);
    const version = await runProgram('--version');
    expect(version).toMatchObject({ code: 0, out: 'serac/0.1.0\n' });
  });

  test('an unknown flag exits with 2 and suggests the closest flag', async () => {
    const { code, err, out } = await runProgram('--http-prot=1');
    expect(code).toBe(2);
    expect(err).toContain('--http-prot');
    expect(err).toContain('--http-port');
    expect(out).toBe('');
  });

  test('a port in use exits with 3 and prints the port', async () => {
    const first = await startProgram();
    const { code, err } = await runProgram(`--http-port=${first.port}`, '--silent');
    expect(code).toBe(3);
    expect(err).toMatch(new RegExp(`:${first.port} is already in use; choose another port`));
    await first.stop();
  });

  test('a port that another node shares with its reader processes counts as in use', async () => {
    const first = await startProgram(`--data-dir=${newFolder()}`, '--workers=1');
    const { code, err } = await runProgram(`--data-dir=${newFolder()}`, '--workers=1', `--http-port=${first.port}`, '--silent');
    expect(code).toBe(3);
    expect(err).toMatch(new RegExp(`:${first.port} is already in use; choose another port`));
    await first.stop();
  });

  test('AvalancheGo flags without effect give one warning line', async () => {
    const node = await startProgram('--sybil-protection-enabled=false', '--fd-limit', '16384');
    const warnings = node.banner.warnings as string[];
    expect(warnings).toHaveLength(1);
    for (const flag of ['sybil-protection-enabled', 'fd-limit']) expect(warnings[0]).toContain(flag);
    await node.stop();
  });

  test('a second start on the same data directory fails with a clear error; after a stop it succeeds', async () => {
    const folder = newFolder();
    const first = await startProgram(`--data-dir=${folder}`);
    const { code, err } = await runProgram(`--data-dir=${folder}`, '--http-port=0', '--silent');
    expect(code).toBe(1);
    expect(err).toContain(folder);
    expect(err).not.toContain('at ');
    expect(await first.stop()).toBe(0);
    const again = await startProgram(`--data-dir=${folder}`);
    expect(again.banner.nodeID).toBe(first.banner.nodeID);
    await again.stop();
  });

  test('key files in the data directory are readable by the owner only', async () => {
    const folder = newFolder();
    const node = await startProgram(`--data-dir=${folder}`);
    for (const name of ['staker.crt', 'staker.key', 'signer.key']) expect(statSync(join(folder, 'staking', name)).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'staking')).mode & 0o777).toBe(0o700);
    await node.stop();
  });

  test('a data directory of another network is rejected', async () => {
    const folder = newFolder();
    await (await startProgram(`--data-dir=${folder}`)).stop();
    const { code, err } = await runProgram(`--data-dir=${folder}`, '--network-id=fuji', '--http-port=0', '--silent');
    expect(code).toBe(1);
    expect(err).toContain('12345');
  });

  test('--log-level sets what is logged while running; --log-display-level takes precedence', async () => {
    const stderrWith = async (...flags: string[]): Promise<string> => {
      const node = await startProgram(...flags);
      await node.client.call('/ext/bc/X', 'avm.getHeight');
      await node.stop();
      return node.stderrText();
    };
    expect(await stderrWith()).toBe('');
    expect(await stderrWith('--log-level=trace')).toBe('');
    const line = (message: string): string => `\\{"event":"log","time":"[^"]+Z","level":"debug","message":"${message}"\\}\\n`;
    const expected = new RegExp(`^${line('ready in \\d+ ms: program \\d+, [^"]+')}${line('POST /ext/bc/X: 200 in [\\d.]+ ms')}$`);
    expect(await stderrWith('--log-level=debug')).toMatch(expected);
    expect(await stderrWith('--log-level=error', '--log-display-level=verbo')).toMatch(expected);
    expect(await stderrWith('--log-level=debug', '--log-display-level=info')).toBe('');
  });

  test('a followed node that is down is logged at level warn, and not at level error', async () => {
    /** What the program prints until it is killed: after its first output, or after the time. */
    const outputAt = async (level: string, time: number): Promise<string> => {
      const child = Bun.spawn([...programCommand, 'follow', 'http://127.0.0.1:1', '--http-port=0', `--log-level=${level}`], {
        stderr: 'pipe',
      });
      const reader = child.stderr.getReader();
      const first = await Promise.race([reader.read(), Bun.sleep(time)]);
      child.kill('SIGKILL');
      return new TextDecoder().decode(first?.value);
    };
    const started = performance.now();
    expect(await outputAt('warn', 20_000)).toContain(' warn  waiting for http://127.0.0.1:1');
    expect(await outputAt('error', performance.now() - started + 1_000)).toBe('');
  });

  test('a server whose output cannot be written, because the disk is full or the reader has left, runs on', async () => {
    const folder = newFolder();
    for (const [i, redirection] of ['>/dev/full 2>&1', '2>&1 | head -1'].entries()) {
      const context = join(folder, `process-${i}.json`);
      const flags = ['--http-port=0', '--accounts=0', '--log-level=debug', `--process-context-file=${context}`];
      const child = Bun.spawn(['sh', '-c', `exec "$@" ${redirection}`, 'sh', ...programCommand, ...flags], { stdout: 'ignore' });
      while (!existsSync(context)) await Bun.sleep(20);
      const { pid, uri } = (await Bun.file(context).json()) as { pid: number; uri: string };
      for (let call = 0; call < 5; call++) expect((await fetch(`${uri}/ext/health`)).status).toBe(200);
      process.kill(pid, 'SIGTERM');
      await child.exited;
    }
  });

  test('a command whose output cannot be written says so and exits with 1', async () => {
    const child = Bun.spawn(['sh', '-c', 'exec "$@" >/dev/full', 'sh', ...programCommand, 'help'], { stderr: 'pipe' });
    expect(await new Response(child.stderr).text()).toMatch(/^serac: cannot write the output: ENOSPC[^\n]*\n$/);
    expect(await child.exited).toBe(1);
  });

  test('Ctrl-C ends a command that waits for a node, and a script that does not end', async () => {
    const silent = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => {} } });
    const script = join(newFolder(), 'endless.ts');
    writeFileSync(script, `export default () => new Promise(() => setInterval(() => {}, 1000));`);
    const url = `--url=http://127.0.0.1:${silent.port}`;
    const children = [
      ['rpc', 'avm.getHeight', url],
      ['run', url, script],
    ].map((args) => Bun.spawn([...programCommand, ...args], { stderr: 'ignore' }));
    await Bun.sleep(3000);
    const interrupted = performance.now();
    for (const child of children) {
      child.kill('SIGINT');
      await child.exited;
      expect(child.signalCode).toBe('SIGINT');
    }
    expect(performance.now() - interrupted).toBeLessThan(5000);
    silent.stop(true);
  });

  test('a file of a flag that cannot be read is named in one line', async () => {
    for (const flag of ['genesis-file', 'upgrade-file', 'chains', 'rate-limit-plans']) {
      const { code, err } = await runProgram('--network-id=1337', '--http-port=0', `--${flag}=/missing/file`);
      expect([code, err]).toEqual([1, expect.stringMatching(/^\S+ fatal cannot use the file \/missing\/file: [^\n]*\n$/)]);
    }
  });

  test('SIGTERM and SIGINT stop it cleanly', async () => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) expect(await (await startProgram()).stop(signal)).toBe(0);
  });
});

describe('networks', () => {
  const x = async (...flags: string[]) => {
    const node = await startProgram(...flags);
    const { result: id } = (await node.client.call('/ext/info', 'info.getBlockchainID', { alias: 'X' })) as {
      result?: { blockchainID: string };
    };
    const { result: asset } = (await node.client.call('/ext/bc/X', 'avm.getAssetDescription', { assetID: 'AVAX' })) as {
      result?: { assetID: string };
    };
    const { result: block } = (await node.client.call('/ext/bc/X', 'avm.getBlockByHeight', { height: 0, encoding: 'json' })) as {
      result?: { block: { id: string } };
    };
    await node.stop();
    return [id?.blockchainID, asset?.assetID, block?.block.id];
  };

  test('local, fuji and mainnet have the chain id, AVAX asset id and block 0 of AvalancheGo', async () => {
    expect(await x()).toEqual([
      '2eNy1mUFdmaxXNj1eQHUe7Np4gju9sJsEtWQ4MX3ToiNKuADed',
      '2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe',
      '2R2UY2pZMQr8nR9ywCdqn97Lp5a6hceqtLXkag6vH7KQSVvmst',
    ]);
    expect(await x('--network-id=fuji')).toEqual([
      '2JVSBoinj9C2J33VntvzYtVJNZdN2NKiwwKjcumHUWEb5DbBrm',
      'U8iRqJoiJm8xZHAacmvYyZVwqQx6uDNtQeP3CQ6fcgQk3JqnK',
      '2tCdy3dRsf6rYG7jtBNSyANQ6StrAEYpCDMLBQyGRLF8wG5KPK',
    ]);
    expect(await x('--network-id', 'mainnet')).toEqual([
      '2oYMBNV4eNHyqk2fjjV5nVQLDbtmNJzq5s3qs3Lo6ftnC6FByM',
      'FvwEAhmxKfeiG8SnEvq42hc6whRyY3EFYAvebMqDNDGCgxN5Z',
      'V8kYdATLoVjUBazVjEHy1dWurk2PcnhERSWnwmcNwirdsBb1S',
    ]);
  });

  test('additional AVM chains have their own routes, state and health checks', async () => {
    const node = await startProgram('--chains', new URL('../examples/chains.json', import.meta.url).pathname);
    const chains = node.banner.chains as { alias: string; blockchainID: string }[];
    const [, further] = chains;
    expect(chains.length).toBeGreaterThan(1);
    for (const name of [further!.alias, further!.blockchainID])
      expect(await node.client.call(`/ext/bc/${name}`, 'avm.getHeight')).toMatchObject({ result: { height: '0' } });
    const health = JSON.parse((await node.client.send('GET', '/ext/health')).text) as { checks: object; healthy: boolean };
    expect(health.checks).toHaveProperty([further!.alias]);
    expect(health.healthy).toBe(true);
    await node.stop();
  });
});

import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { programCommand, runProgram } from './program.ts';

const folder = mkdtempSync(join(tmpdir(), 'serac-shell-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the shell and the configuration', () => {
  const complete = async (words: string): Promise<string[]> => {
    const script = join(folder, 'completions.bash');
    writeFileSync(script, (await runProgram('completions', 'bash')).out);
    const list = words.split(' ');
    const run = `source ${script}; COMP_WORDS=(serac ${list.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${list.length}; _serac; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const child = Bun.spawn(['bash', '-c', run], { stdout: 'pipe' });
    return (await new Response(child.stdout).text()).trim().split('\n');
  };

  test('bash completes commands, subcommands, flags and choices', async () => {
    expect(await complete('sn')).toEqual(['snapshot']);
    expect(await complete('snapshot re')).toEqual(['revert']);
    expect(await complete('send --me')).toEqual(['--memo']);
    expect(await complete('asset create --den')).toEqual(['--denomination']);
    expect(await complete('completions z')).toEqual(['zsh']);
    expect(await complete('--log-level ver')).toEqual(['verbo']);
    expect(await complete('keys c')).toEqual(['create']);
    expect(await complete('testnet pa')).toEqual(['partition']);
    expect(await complete('testnet 3 --avalanchego-')).toEqual(['--avalanchego-nodes']);
    expect(await complete('testnet kill --js')).toEqual(['--json']);
    expect(await complete('--fork-')).toEqual(['--fork-url', '--fork-block-number', '--fork-address']);
    expect(await complete(`--load-state ${folder}/comp`)).toEqual([join(folder, 'completions.bash')]);
  });

  test.skipIf(Bun.which('zsh') === null)('zsh accepts its script', async () => {
    const { out } = await runProgram('completions', 'zsh');
    const child = Bun.spawn(['zsh', '-fc', `autoload -U compinit && compinit -D; ${out}; whence -w _serac`], { stdout: 'pipe' });
    expect(await new Response(child.stdout).text()).toContain('_serac: function');
  });

  test.skipIf(Bun.which('fish') === null)('fish completes', async () => {
    const script = join(folder, 'serac.fish');
    writeFileSync(script, (await runProgram('completions', 'fish')).out);
    const child = Bun.spawn(['fish', '-c', `source ${script}; complete -C 'serac snap'`], { stdout: 'pipe' });
    expect(await new Response(child.stdout).text()).toContain('snapshot');
  });

  test('config print names the source of each value and hides secrets', async () => {
    const file = join(folder, 'serac.yaml');
    writeFileSync(file, 'http-port: 1111\nbalance: 5\nmin-block-delay: 2s\nmnemonic: secret words\n');
    const child = Bun.spawn([...programCommand, 'config', 'print', '--config-file', file, '--http-host', '127.0.0.2'], {
      env: { ...process.env, SERAC_HTTP_PORT: '2222', SERAC_DEV_TOKEN: 'hidden-token', SERAC_CACHE_URL: 'redis://u:hidden-password@h:1' },
      stdout: 'pipe',
    });
    const out = await new Response(child.stdout).text();
    const row = (flag: string) =>
      out
        .split('\n')
        .find((line) => line.trim().startsWith(`${flag} `))
        ?.replace(/ +/g, ' ')
        .trim();
    expect(row('http-host')).toBe('http-host 127.0.0.2 (--http-host)');
    expect(row('http-port')).toBe('http-port 2222 (SERAC_HTTP_PORT)');
    expect(row('balance')).toBe('balance 5 (config file, balance)');
    expect(row('min-block-delay')).toBe('min-block-delay 2s (config file, min-block-delay)');
    expect(row('http-idle-timeout')).toBe('http-idle-timeout 120s');
    for (const secret of ['hidden-token', 'hidden-password', 'secret words']) expect(out).not.toContain(secret);
  });
});

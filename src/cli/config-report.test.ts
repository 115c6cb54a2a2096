import { expect, test } from 'bun:test';
import { parseFlags } from '../app/config/flags.ts';
import { formatConfig, formatConfigJson, listConfig } from './config-report.ts';

function print(argv: string[], file = '{}'): { readonly text: string; readonly json: Record<string, { value: unknown; unknown?: true }> } {
  const parsed = parseFlags(['config', 'print', ...argv, '--config-file=x.json'], { readFile: () => file });
  if (parsed.kind !== 'run') throw new Error(JSON.stringify(parsed));
  const rows = listConfig(parsed.options, parsed.given);
  return { text: formatConfig(rows, parsed.unknownKeys).join('\n'), json: JSON.parse(formatConfigJson(rows, parsed.unknownKeys)) };
}

test('keys of the config file that are not flags are shown, with the flag that was probably meant', () => {
  const { text, json } = print([], '{"htp-port": 1, "strict": true}');
  expect(text).toStartWith('Unknown, without effect\n  htp-port  (config file; did you mean http-port?)\n\nSet\n');
  expect(json['htp-port']).toEqual({ value: null, source: 'config file', unknown: true } as never);
  expect(print([]).text).not.toContain('Unknown');
});

test('passwords and keys in URLs are not shown', () => {
  const { text, json } = print([
    '--fork-url=https://user:pa55@node.example/x?apikey=s3cret&chain=X&access_token=t0ken#end',
    '--validators-from=http://127.0.0.1:1/?API-KEY=s3cret,https://t0ken@node.example,http://a:pa55@b',
    '--database-url=postgres://me:x@pa55@db/name?password=s3cret',
  ]);
  expect(text + JSON.stringify(json)).not.toMatch(/s3cret|t0ken|pa55/);
  expect(json['fork-url']?.value).toBe('https://user:…@node.example/x?apikey=…&chain=X&access_token=…#end');
  expect(json['validators-from']?.value).toEqual(['http://127.0.0.1:1/?API-KEY=…', 'https://…@node.example', 'http://a:…@b'] as never);
});

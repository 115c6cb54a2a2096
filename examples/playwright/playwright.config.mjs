import { defineConfig } from '@playwright/test';

// Playwright starts the node, waits until it answers, and stops it afterwards. CHROMIUM names a browser of the system; without it, the one of
// `npx playwright install chromium` is used.
// biome-ignore lint/style/noDefaultExport: Playwright reads the default export
export default defineConfig({
  testDir: '.',
  use: { baseURL: 'http://127.0.0.1:9750', launchOptions: { executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] } },
  webServer: { command: 'npx serac --http-port 9750', url: 'http://127.0.0.1:9750/ready' },
});

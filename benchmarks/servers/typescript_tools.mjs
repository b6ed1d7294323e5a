// The benchmark's tools on the TypeScript SDK. Schemas are made once: over HTTP the SDK asks for a
// new server for each session, and since 2026-07-28 for each request.

import { McpServer } from '@modelcontextprotocol/server';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

const Address = z.object({
  street: z.string(),
  city: z.string(),
  zip: z.string(),
  country: z.string(),
});
const Customer = z.object({
  id: z.int(),
  name: z.string(),
  email: z.string(),
  address: Address,
  vip: z.boolean().default(false),
});
const Item = z.object({
  sku: z.string(),
  qty: z.int(),
  price: z.number(),
  tags: z.array(z.string()).default([]),
});
const Order = z.object({
  id: z.string(),
  created: z.string(),
  currency: z.enum(['EUR', 'USD', 'GBP']),
  customer: Customer,
  items: z.array(Item),
  note: z.string().nullable().default(null),
  priority: z.int().default(0),
});

const text = (value) => ({ content: [{ type: 'text', text: value }] });
const echo = ({ text: words }) => text(words);
const add = ({ a, b }) => text(String(a + b));

function nested({ order }) {
  const total = order.items.reduce((sum, item) => sum + item.qty * item.price, 0);
  const summary = { order: order.id, currency: order.currency, total };
  return { ...text(JSON.stringify(summary)), structuredContent: summary };
}

function image({ n }) {
  const bytes = Buffer.concat([PNG_SIGNATURE, Buffer.alloc(n - PNG_SIGNATURE.length)]);
  const data = bytes.toString('base64');
  return { content: [{ type: 'image', data, mimeType: 'image/png' }] };
}

async function slow({ ms }) {
  await sleep(ms);
  return text(String(ms));
}

// A handler that is not a coroutine and one that is differ in JavaScript only by a promise.
const chosen = (handler) =>
  process.env.BENCH_ASYNC === '1' ? async (args) => handler(args) : handler;

function generatedTools(count) {
  return Array.from({ length: count }, (_, index) => [
    `search_${String(index).padStart(5, '0')}`,
    'Search one of many collections.',
    z.object({
      query: z.string(),
      limit: z.int().default(10),
      exact: z.boolean().default(false),
    }),
    ({ query, limit, exact }) => text(`${query} ${limit} ${exact}`),
  ]);
}

const TOOLS = [
  ['echo', 'Return the text.', z.object({ text: z.string() }), chosen(echo)],
  ['add', 'Add two integers.', z.object({ a: z.int(), b: z.int() }), chosen(add)],
  ['nested', 'Summarise an order.', z.object({ order: Order }), chosen(nested)],
  ['image', 'An image of n bytes.', z.object({ n: z.int() }), image],
  ['slow', 'Wait for some milliseconds.', z.object({ ms: z.int() }), slow],
];
let generated;

function register(server, tools) {
  for (const [name, description, inputSchema, handler] of tools) {
    server.registerTool(name, { description, inputSchema }, handler);
  }
}

function registerGenerated(server) {
  const count = Number(process.env.BENCH_TOOLS ?? '0');
  if (count === 0) return;
  if (generated) {
    register(server, generated);
    return;
  }
  const start = performance.now();
  generated = generatedTools(count);
  register(server, generated);
  const seconds = (performance.now() - start) / 1000;
  console.error(`registered ${count} in ${seconds.toFixed(6)}`);
}

export function newServer() {
  const server = new McpServer({ name: 'bench', version: '1' }, { capabilities: { tools: {} } });
  register(server, TOOLS);
  registerGenerated(server);
  return server;
}

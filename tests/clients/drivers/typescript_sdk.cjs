// The client of the TypeScript SDK: `node typescript_sdk.cjs legacy|auto play|greet COMMAND…|URL`.
//
// Started in the folder where the SDK is installed. Does the same as `scenario.py`, with the same
// report on standard output.

const { createRequire } = require("node:module");
const fromHere = createRequire(`${process.cwd()}/`);
const { Client, StreamableHTTPClientTransport } = fromHere("@modelcontextprotocol/client");
const { StdioClientTransport } = fromHere("@modelcontextprotocol/client/stdio");

const PATIENCE_MS = 30_000;
const NOTE = "fixture://note";
const LOG_LEVEL = "io.modelcontextprotocol/logLevel";
const WISHES = {
  "What would you like?": {
    action: "accept",
    content: { dish: "soup", count: 2, size: "large" },
  },
  "Anything else?": { action: "decline" },
};

const [mode, action, command, ...args] = process.argv.slice(2);
const questions = [];

// Things that arrive by and by, and that can be waited for.
class Heard {
  items = [];
  #waiting = [];

  add(item) {
    this.items.push(item);
    this.#waiting = this.#waiting.filter(({ count, resolve }) =>
      this.items.length < count ? true : resolve(),
    );
  }

  async reach(count) {
    if (this.items.length < count) {
      let timer;
      await new Promise((resolve) => {
        timer = setTimeout(resolve, PATIENCE_MS);
        this.#waiting.push({ count, resolve });
      });
      clearTimeout(timer);
    }
    return this.items;
  }
}

const logs = new Heard();
const changes = new Heard();

function makeClient() {
  const client = new Client(
    { name: "typescript-driver", version: "1.0.0" },
    {
      capabilities: { elicitation: { form: {} }, sampling: {}, roots: {} },
      versionNegotiation: { mode },
    },
  );
  client.setRequestHandler("elicitation/create", ({ params }) => {
    questions.push(params);
    return WISHES[params.message];
  });
  client.setRequestHandler("sampling/createMessage", ({ params }) => {
    questions.push(params);
    const content = { type: "text", text: "it was long" };
    return { role: "assistant", content, model: "parrot" };
  });
  client.setRequestHandler("roots/list", () => ({ roots: [{ uri: "file:///somewhere" }] }));
  client.setNotificationHandler("notifications/message", ({ params }) => logs.add(params));
  for (const change of ["tools/list_changed", "resources/updated"]) {
    client.setNotificationHandler(`notifications/${change}`, () => changes.add(change));
  }
  return client;
}

const client = makeClient();
const isLegacy = () => client.getNegotiatedProtocolVersion() < "2026";
const call = (name, args, options) => client.callTool({ name, arguments: args }, options);

function identity() {
  return {
    protocolVersion: client.getNegotiatedProtocolVersion(),
    serverInfo: client.getServerVersion(),
    instructions: client.getInstructions(),
  };
}

async function errorOf(answer) {
  try {
    return { result: await answer };
  } catch (error) {
    return { code: error.code, message: error.message };
  }
}

// Progress is heard while the tool runs; this client ignores it once it has the result.
async function progress() {
  const heard = new Heard();
  const onprogress = (step) => heard.add([step.progress, step.total, step.message]);
  const counting = call("count", { to: 3 }, { onprogress });
  const steps = await heard.reach(3);
  await call("go_on", {});
  return { steps, result: await counting };
}

async function chatter() {
  const params = { name: "chatter", arguments: {} };
  if (isLegacy()) {
    await client.setLoggingLevel("info");
  } else {
    params._meta = { [LOG_LEVEL]: "info" };
  }
  const result = await client.callTool(params);
  return { heard: await logs.reach(2), result };
}

async function watch() {
  if (isLegacy()) {
    await client.subscribeResource({ uri: NOTE });
    return () => client.unsubscribeResource({ uri: NOTE });
  }
  const filter = { toolsListChanged: true, resourceSubscriptions: [NOTE] };
  const subscription = await client.listen(filter);
  return () => subscription.close();
}

async function changed() {
  const unwatch = await watch();
  await call("grow", { name: "grown" });
  await call("touch", { uri: NOTE });
  const heard = await changes.reach(2);
  await unwatch();
  return { heard, tools: await client.listTools() };
}

async function stopped(tool) {
  const started = new Heard();
  const giveUp = new AbortController();
  const options = { signal: giveUp.signal, onprogress: (step) => started.add(step) };
  const waiting = errorOf(call(tool, {}, options));
  await started.reach(1);
  giveUp.abort();
  await waiting;
  return await call("has_stopped", { tool });
}

async function completions() {
  const review = { type: "ref/prompt", name: "review" };
  const person = { type: "ref/resource", uri: "fixture://people/{name}" };
  const language = { name: "language", value: "p" };
  const context = { arguments: { expert: "yes" } };
  return {
    language: await client.complete({ ref: review, argument: language }),
    settled: await client.complete({ ref: review, argument: language, context }),
    name: await client.complete({ ref: person, argument: { name: "name", value: "a" } }),
  };
}

const prompt = (name, args) => client.getPrompt({ name, arguments: args });
const read = (uri) => client.readResource({ uri });

const actions = {
  play: async () => ({
    identity: identity(),
    tools: await client.listTools(),
    prompts: await client.listPrompts(),
    resources: await client.listResources(),
    resource_templates: await client.listResourceTemplates(),
    echo: await call("echo", { text: "two\nlines ☃" }),
    measure: await call("measure", { width: 2, height: 3.5 }),
    refused: await call("measure", { width: "wide", height: 1 }),
    failed: await call("fail", { reason: "no luck" }),
    picture: await call("picture", {}),
    unknown_tool: await errorOf(call("nothing", {})),
    progress: await progress(),
    logs: await chatter(),
    order: await call("order", {}),
    haggle: await call("haggle", {}),
    summarise: await call("summarise", { text: "a long story" }),
    places: await call("places", {}),
    questions,
    review: await prompt("review", { language: "Python", code: "1/0" }),
    translate: await prompt("translate", { language: "Latin" }),
    no_language: await errorOf(prompt("translate", {})),
    note: await read(NOTE),
    pixel: await read("fixture://pixel"),
    person: await read("fixture://people/ada"),
    no_resource: await errorOf(read("fixture://nowhere")),
    completions: await completions(),
    changes: await changed(),
    stopped: { wait: await stopped("wait"), block: await stopped("block") },
  }),
  greet: async () => ({
    identity: identity(),
    tools: await client.listTools(),
    ready: await call("ready", {}),
  }),
};

async function main() {
  const isUrl = command.startsWith("http://");
  await client.connect(
    isUrl
      ? new StreamableHTTPClientTransport(new URL(command))
      : new StdioClientTransport({ command, args }),
  );
  process.stdout.write(`${JSON.stringify(await actions[action]())}\n`);
  await client.close();
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});

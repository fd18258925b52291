// A Probot App that only verifies a delivery and answers it. Run in a folder with node_modules/probot.
import { createServer } from "node:http";
import { generateKeyPairSync } from "node:crypto";
import { pathToFileURL } from "node:url";

const { createNodeMiddleware, createProbot } = await import(pathToFileURL("node_modules/probot/lib/exports.js"));
const { privateKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs1", format: "pem" },
});
const probot = createProbot({ overrides: { appId: 1, privateKey, secret: process.env.SECRET, logLevel: "warn" } });
const middleware = await createNodeMiddleware((app) => app.on("pull_request", () => {}), { probot });
createServer((request, response) => middleware(request, response)).listen(Number(process.env.PORT), "127.0.0.1");

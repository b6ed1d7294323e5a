import { render } from "@testing-library/react";
import { expect, test } from "vitest";
import { Markdown, parseBlocks } from "./Markdown";

test("markup of HTML stays text", () => {
  const { container } = render(
    <Markdown text={'<img src=x onerror="alert(1)"> **bold** `code`'} />,
  );
  expect(container.querySelector("img")).toBeNull();
  expect(container.textContent).toContain('<img src=x onerror="alert(1)">');
  expect(container.querySelector("strong")?.textContent).toBe("bold");
  expect(container.querySelector("code")?.textContent).toBe("code");
});

test("fences, headings and lists are distinguished, and code is unchanged", () => {
  const text = "# Title\nwords\n\n- one\n- two\n```wl\n# no heading\n\n- no list\n```\nend";
  expect(parseBlocks(text)).toEqual([
    { kind: "heading", lines: ["# Title"] },
    { kind: "text", lines: ["words"] },
    { kind: "list", lines: ["- one", "- two"] },
    { kind: "code", lines: ["# no heading", "", "- no list"] },
    { kind: "text", lines: ["end"] },
  ]);
});

const TIMEOUT_MS = 5000; // `mem-hook` has a limit of its own; this one is for a machine that is stuck

/** Run `mem-hook` with *payload* and give the context it prints; "" for whatever goes wrong. */
function tell(event, payload) {
  return new Promise((resolve) => {
    let printed = "";
    let timer;
    const finish = (text) => {
      clearTimeout(timer);
      try {
        resolve(String(JSON.parse(text).context ?? ""));
      } catch {
        resolve("");
      }
    };
    try {
      const child = spawn(PROGRAM, [AGENT, event], {
        stdio: ["pipe", "pipe", "ignore"],
        windowsHide: true,
      });
      timer = setTimeout(() => {
        child.kill("SIGKILL");
        finish("");
      }, TIMEOUT_MS);
      child.on("error", () => finish(""));
      child.on("close", () => finish(printed));
      child.stdin.on("error", () => {});
      child.stdout.setEncoding("utf8");
      child.stdout.on("data", (part) => (printed += part));
      child.stdin.end(JSON.stringify(payload));
    } catch {
      finish("");
    }
  });
}

/** What was told before is on disk before the next is told: prompt, tools, answer, in that order. */
let last = Promise.resolve("");
function tellInOrder(event, payload) {
  last = last.then(() => tell(event, payload));
  return atMost(TIMEOUT_MS, last); // whatever still waits before it
}

/** What *promised* becomes, or "" if that takes longer. */
function atMost(milliseconds, promised) {
  let timer;
  const patience = new Promise((resolve) => {
    timer = setTimeout(resolve, milliseconds, "");
  });
  return Promise.race([promised, patience]).finally(() => clearTimeout(timer));
}

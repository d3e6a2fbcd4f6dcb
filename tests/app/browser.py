"""Headless browsers for tests of pages: TEST.py GPUCCL [SCREENSHOTS]

The test is skipped (77) without Chromium, its driver and python3-selenium, numpy and tifffile. With a folder it leaves
screenshots there, to be looked at. Firefox needs no driver: it is spoken to in WebDriver BiDi.
"""
import base64
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

try:
    import numpy  # noqa: F401, of the tests
    import tifffile  # noqa: F401
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)
try:
    import websocket
except ImportError:
    websocket = None
FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
if not CHROMIUM or not DRIVER:
    print("skipped: no chromium or no chromedriver")
    sys.exit(77)

PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
SHOTS = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None


def gpuccl(*words):
    ended = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True)
    assert ended.returncode == 0, (words, ended.stderr)
    return ended.stdout


class Browser:
    """Pages in a window; a call runs a script there."""

    def __init__(self):
        options = webdriver.ChromeOptions()
        for word in ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"]:
            options.add_argument(word)
        options.binary_location = CHROMIUM
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(service=Service(DRIVER), options=options)

    def open(self, page, width=1280, height=900, scheme="light"):
        """A page in the colors of a scheme, light or dark, or as it is printed."""
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    dict(width=width, height=height, deviceScaleFactor=1, mobile=width < 600))
        self.driver.get("about:blank")  # no other page is to change its look
        media = dict(media="print") if scheme == "print" else dict(media="", features=[dict(name="prefers-color-scheme", value=scheme)])
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
        self.driver.get(pathlib.Path(page).resolve().as_uri())
        for _ in range(300):
            if self("return document.body.dataset.ready"):
                break
            time.sleep(0.1)
        self.settle()
        problems = [entry["message"] for entry in self.driver.get_log("browser")]
        assert problems == [], problems
        assert self("return document.body.dataset.ready") == "yes", self("return document.body.innerText.slice(0, 300)")
        assert self("return document.documentElement.scrollWidth <= innerWidth"), "wider than the window"

    def __call__(self, script, *words):
        return self.driver.execute_script(script, *words)

    def settle(self):
        self.driver.execute_async_script("const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()))")

    def requests(self):
        found = []
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                found.append(message["params"]["request"]["url"])
        return found

    def check_requests(self):
        """No page asked for anything but itself."""
        asked = [url for url in self.requests() if not url.startswith(("blob:", "data:", "about:"))]
        assert all(url.startswith("file://") and url.endswith(".html") for url in asked), asked

    def shot(self, name):
        if not SHOTS:
            return
        SHOTS.mkdir(parents=True, exist_ok=True)
        size = self.driver.execute_cdp_cmd("Page.getLayoutMetrics", {})["cssContentSize"]
        clip = dict(x=0, y=0, width=size["width"], height=min(size["height"], 2600), scale=1)
        picture = self.driver.execute_cdp_cmd("Page.captureScreenshot", dict(captureBeyondViewport=True, clip=clip))
        (SHOTS / name).write_bytes(base64.b64decode(picture["data"]))


class Firefox:
    """A session of Firefox, in light or dark colors."""

    def __init__(self, scheme="light"):
        self.profile = tempfile.TemporaryDirectory()
        pathlib.Path(self.profile.name, "user.js").write_text(
            f'user_pref("layout.css.prefers-color-scheme.content-override", {int(scheme == "light")});\n'
            'user_pref("browser.shell.checkDefaultBrowser", false);\nuser_pref("datareporting.policy.dataSubmissionEnabled", false);\n')
        self.process = subprocess.Popen([FIREFOX, "--headless", "--no-remote", "--profile", self.profile.name, "--remote-debugging-port", "0"],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            found = re.search(r"WebDriver BiDi listening on (ws://\S+)", line)
            if found:
                break
        else:
            raise RuntimeError("Firefox does not start")
        threading.Thread(target=self.process.stderr.read, daemon=True).start()  # so that the pipe never fills
        self.socket = websocket.create_connection(found[1] + "/session", timeout=120, suppress_origin=True)
        self.number, self.events = 0, []
        self.send("session.new", capabilities={})
        self.send("session.subscribe", events=["network.beforeRequestSent", "log.entryAdded"])
        self.tab = self.send("browsingContext.getTree")["contexts"][0]["context"]

    def send(self, method, **params):
        self.number += 1
        self.socket.send(json.dumps(dict(id=self.number, method=method, params=params)))
        while True:
            answer = json.loads(self.socket.recv())
            if answer.get("id") == self.number:
                assert answer["type"] == "success", answer
                return answer["result"]
            self.events.append(answer)

    def open(self, page, width=1280, height=900):
        self.send("browsingContext.setViewport", context=self.tab, viewport=dict(width=width, height=height))
        self.send("browsingContext.navigate", context=self.tab, url=pathlib.Path(page).resolve().as_uri(), wait="complete")
        for _ in range(300):
            if self("return document.body.dataset.ready"):
                break
            time.sleep(0.1)
        self.settle()
        problems = [event["params"]["text"] for event in self.events if event.get("method") == "log.entryAdded" and event["params"]["level"] in ("error", "warn")]
        assert problems == [], problems
        assert self("return document.body.dataset.ready") == "yes", self("return document.body.innerText.slice(0, 300)")
        assert self("return document.documentElement.scrollWidth <= innerWidth"), "wider than the window"

    def __call__(self, script, *words):
        call = f"(words) => JSON.stringify((function () {{ {script} }})(...JSON.parse(words)))"
        answer = self.send("script.callFunction", functionDeclaration=call, awaitPromise=True, target=dict(context=self.tab),
                           arguments=[dict(type="string", value=json.dumps(words))])
        assert answer["type"] == "success", answer
        return json.loads(answer["result"].get("value", "null"))

    def settle(self):
        self.send("script.callFunction", functionDeclaration="() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
                  awaitPromise=True, target=dict(context=self.tab))

    def requests(self):
        return [event["params"]["request"]["url"] for event in self.events if event.get("method") == "network.beforeRequestSent"]

    check_requests = Browser.check_requests

    def shot(self, name):
        if SHOTS:
            picture = self.send("browsingContext.captureScreenshot", context=self.tab, origin="document")["data"]
            SHOTS.mkdir(parents=True, exist_ok=True)
            (SHOTS / name).write_bytes(base64.b64decode(picture))

    def quit(self):
        self.socket.close()
        self.process.terminate()
        self.process.wait(30)
        self.profile.cleanup()

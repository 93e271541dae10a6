import Foundation
import FoundationNetworking
import LoopTestKit
import Testing

/// The daemon's page in the browser; the pages themselves are tested with `atoll studio`.
struct StudioTests {
  private struct Page {
    let address: URL

    /// The answer to a request with the token of the file.
    func ask(_ path: String, post: Bool = false) async throws -> (status: Int, body: String) {
      let parts = try #require(URLComponents(url: address, resolvingAgainstBaseURL: false))
      let token = try #require(parts.queryItems?.first { $0.name == "token" }?.value)
      let url = try #require(URL(string: "http://127.0.0.1:\(parts.port ?? 0)/api/v1/\(path)"))
      var request = URLRequest(url: url, timeoutInterval: 20)
      request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
      if post {
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = Data("{}".utf8)
      }
      let (data, response) = try await URLSession.shared.data(for: request)
      let status = (response as? HTTPURLResponse)?.statusCode ?? 0
      return (status, String(decoding: data, as: UTF8.self))
    }
  }

  /// The page, once standard output says that it is there.
  private func page(of daemon: DaemonProcess, _ file: String) async throws -> Page {
    _ = try await daemon.wait { daemon.output.contains("studio at ") ? true : nil }
    let text = try String(contentsOfFile: file, encoding: .utf8)
    let address = try #require(
      URL(string: text.trimmingCharacters(in: .whitespacesAndNewlines)))
    return Page(address: address)
  }

  @Test func `a daemon shows its stores, for looking only, to who can read a file`() async throws {
    try await withFolder { folder in
      let daemon = try DaemonProcess(
        ["--store", folder + "/a.atoll", "--studio", "127.0.0.1:0"], in: folder)
      let file = folder + "/a.atoll-studio"
      let page = try await page(of: daemon, file)
      let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions]
      #expect(mode as? Int == 0o600)
      let session = try await page.ask("session")
      #expect(session.status == 200)
      #expect(session.body.contains("\"isReadOnly\":true"))
      #expect(try await page.ask("stores/0/peers/pause", post: true).status == 403)
      let status = try await page.ask("stores/0/status")
      #expect(status.body.contains("\"daemon\":\"serving\""))
      // The token is nowhere but in the file.
      let token = try #require(page.address.query?.split(separator: "=").last)
      #expect(!daemon.output.contains(token) && !daemon.errors.contains(token))
      daemon.send(SIGTERM)
      #expect(try await daemon.ended.value().exitCode == 0)
      #expect(!FileManager.default.fileExists(atPath: file))
    }
  }

  @Test func `with studio-writes the browser may change the stores`() async throws {
    try await withFolder { folder in
      let daemon = try DaemonProcess(
        ["--store", folder + "/a.atoll", "--studio", "127.0.0.1:0", "--studio-writes", "yes"],
        in: folder)
      let page = try await page(of: daemon, folder + "/a.atoll-studio")
      #expect(try await page.ask("stores/0/peers/pause", post: true).status == 200)
    }
  }

  @Test func `stores that are added and removed come and go on the page that is open`() async throws
  {
    try await withFolder { folder in
      let path = folder + "/atolld.conf"
      let first = "store = \(folder)/a.atoll\nstudio = 127.0.0.1:0\n"
      try first.write(toFile: path, atomically: true, encoding: .utf8)
      let daemon = try DaemonProcess(["--config", path], in: folder)
      let page = try await page(of: daemon, folder + "/a.atoll-studio")
      #expect(try await page.ask("stores/1/status").status == 404)
      try "\(first)store = \(folder)/b.atoll\n".write(
        toFile: path, atomically: true, encoding: .utf8)
      daemon.send(SIGHUP)
      try await daemon.said("the settings are reloaded")
      #expect(try await page.ask("stores/1/status").status == 200)
      try first.write(toFile: path, atomically: true, encoding: .utf8)
      daemon.send(SIGHUP)
      try await daemon.said("the settings are reloaded", times: 2)
      #expect(try await page.ask("stores/1/status").status == 404)
      #expect(try await page.ask("stores/0/status").status == 200)
    }
  }

  @Test func `a page for other machines is refused, with the way there is`() async throws {
    try await withFolder { folder in
      for address in ["0.0.0.0:7680", "[::1]:7680", "192.0.2.1:7680"] {
        let daemon = try DaemonProcess(
          ["--store", folder + "/a.atoll", "--studio", address, "--check"], in: folder)
        #expect(try await daemon.ended.value().exitCode == 78)
        #expect(daemon.errors.contains("ssh -L 7680"))
      }
    }
  }

  @Test func `a port that is taken ends the daemon, with the reason`() async throws {
    try await withFolder { folder in
      let daemon = try DaemonProcess(
        ["--store", folder + "/a.atoll", "--studio", "127.0.0.1:0"], in: folder)
      let page = try await page(of: daemon, folder + "/a.atoll-studio")
      let other = try DaemonProcess(
        ["--store", folder + "/b.atoll", "--studio", "127.0.0.1:\(page.address.port ?? 0)"],
        in: folder)
      #expect(try await other.ended.value().exitCode == 69)
      #expect(other.errors.contains("is taken"))
    }
  }
}

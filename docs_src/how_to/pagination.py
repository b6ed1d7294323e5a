from paddock import Server, Tool

server = Server("many", version="1.0", page_size=50)

for number in range(120):
    server.register(Tool(f"tool_{number}", lambda: "done", description=f"Tool {number}"))

if __name__ == "__main__":
    server.run()

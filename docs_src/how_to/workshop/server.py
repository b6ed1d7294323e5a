from paddock import Server

server = Server("workshop", version="1.0", auto_register_dir=".")

if __name__ == "__main__":
    server.run()
